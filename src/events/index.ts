export {
  type AbandonedRun,
  type EventMessage,
  type EventName,
  type FailedAttempt,
  type LimitNotice,
  type Listeners,
  listen,
  publish,
  type TokenRenewal,
} from "./channels.js";
export { noteEnded, noteFirstByte, noteReceived } from "./note.js";
export { type CacheMissCause, newRecord, type Pause, type RequestRecord } from "./request-record.js";
