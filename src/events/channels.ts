import { type Channel, channel } from "node:diagnostics_channel";
import type { ErrorCode } from "../turn/error.js";
import type { Usage } from "../turn/event.js";
import type { RequestRecord } from "./request-record.js";

/** A run that waited for the client's results and was given up: its turn will never say what it took. */
export interface AbandonedRun {
  readonly gateway: string;
  /** The last request of the run, which has ended or is about to. Clients may give many requests one id, so only this object tells them apart. */
  readonly request: RequestRecord;
  readonly requestId: string;
  readonly reason: "lease-expired" | "superseded" | "lost" | "shutdown" | "stopped";
  /** Our own estimate. */
  readonly usage: Usage;
}

/** An attempt at Cursor that failed, whether or not it is repeated. */
export interface FailedAttempt {
  readonly gateway: string;
  readonly code: ErrorCode;
  readonly isRetried: boolean;
}

/** A new access token, or the failure to get one. */
export interface TokenRenewal {
  readonly gateway: string;
  readonly isRenewed: boolean;
}

/** Something about the owner's limits that the owner should know: a warning, a refusal, a turn that was slowed down. */
export interface LimitNotice {
  readonly gateway: string;
  readonly requestId: string;
  readonly action: "warned" | "refused" | "slowed";
  /** Such as `day.tokens`. */
  readonly limit: string;
  readonly message: string;
}

/** What each channel carries. */
interface Messages {
  /** A turn was posted and could be read. */
  "curlew:request:received": RequestRecord;
  /** It is known where the conversation goes on. */
  "curlew:request:planned": RequestRecord;
  /** A run was opened at Cursor for it. */
  "curlew:request:opened": RequestRecord;
  /** A run that had paused got the results of the client's tools. */
  "curlew:request:resumed": RequestRecord;
  /** The first byte of the reply goes to the client. */
  "curlew:request:first-byte": RequestRecord;
  /** The reply ends with calls for the client, and its run waits for their results. The request finishes right after this. */
  "curlew:request:paused": RequestRecord;
  /** The reply is complete. */
  "curlew:request:finished": RequestRecord;
  /** There is no complete reply: it failed or was refused, or the client left. */
  "curlew:request:failed": RequestRecord;
  /** A run that waited for results was given up. Carries an `AbandonedRun`: its last `request` and `requestId`, the `reason`, an estimate of the `usage`. */
  "curlew:run:abandoned": AbandonedRun;
  /** An attempt at Cursor failed. Carries a `FailedAttempt`: the error `code`, and whether it `isRetried`. */
  "curlew:upstream:failed": FailedAttempt;
  /** There is a new access token, or none could be had. Carries a `TokenRenewal`: `isRenewed`. */
  "curlew:token:renewed": TokenRenewal;
  /** A limit of the owner's was reached. Carries a `LimitNotice`: `requestId`, `limit`, `action`, `message`. */
  "curlew:limit:reached": LimitNotice;
}

export type EventName = keyof Messages;
export type EventMessage<Name extends EventName> = Messages[Name];

export const eventNames = [
  "curlew:request:received",
  "curlew:request:planned",
  "curlew:request:opened",
  "curlew:request:resumed",
  "curlew:request:first-byte",
  "curlew:request:paused",
  "curlew:request:finished",
  "curlew:request:failed",
  "curlew:run:abandoned",
  "curlew:upstream:failed",
  "curlew:token:renewed",
  "curlew:limit:reached",
] as const satisfies readonly EventName[];

const channels = Object.fromEntries(eventNames.map((name) => [name, channel(name)])) as Record<EventName, Channel>;

/** Tells everybody who listens. Costs next to nothing when nobody does. */
export function publish<Name extends EventName>(name: Name, message: EventMessage<Name>): void {
  const { [name]: to } = channels;
  if (to.hasSubscribers) to.publish(message);
}

export type Listeners = { readonly [Name in EventName]?: (message: EventMessage<Name>) => void };

/**
 * Listens to the events of one gateway. A listener that throws harms nobody: the problem goes to `onProblem`. Returns a function
 * that stops listening.
 */
export function listen(gateway: string, listeners: Listeners, onProblem: (problem: unknown) => void): () => void {
  const stops = (Object.keys(listeners) as EventName[]).map((name) => {
    const tell = listeners[name] as (message: unknown) => void;
    const heard = (message: unknown) => {
      if ((message as { gateway: string }).gateway !== gateway) return;
      try {
        tell(message);
      } catch (problem) {
        onProblem(problem);
      }
    };
    channels[name].subscribe(heard);
    return () => void channels[name].unsubscribe(heard);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Publishes that a turn was posted and could be read. */
export function noteReceived(record: RequestRecord): void {
  publish("curlew:request:received", record);
}

/** Publishes the first byte of the reply, once. */
export function noteFirstByte(record: RequestRecord, nowMs: number): void {
  if (record.firstByteMs !== undefined) return;
  record.firstByteMs = nowMs;
  publish("curlew:request:first-byte", record);
}

/**
 * Publishes how a request has ended, once: right before the client can know that its reply is complete, so that what a turn took
 * is booked whatever happens then.
 */
export function noteEnded(record: RequestRecord, nowMs: number): void {
  if (record.endedMs !== undefined) return;
  record.endedMs = nowMs;
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}
