export {
  type AbandonedRun,
  type EventMessage,
  type EventName,
  eventNames,
  type FailedAttempt,
  type LimitNotice,
  type Listeners,
  listen,
  publish,
  type TokenRenewal,
} from "./channels.js";
export { type CacheMissCause, newRecord, type Pause, type RequestRecord } from "./request-record.js";
