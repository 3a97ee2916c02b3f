export {
  type AbandonedRun,
  type EventMessage,
  type EventName,
  type FailedAttempt,
  type LimitNotice,
  type Listeners,
  listen,
  noteEnded,
  noteFirstByte,
  noteReceived,
  publish,
  type TokenRenewal,
} from "./channels.js";
export { type CacheMissCause, newRecord, type Pause, type RequestRecord } from "./request-record.js";
