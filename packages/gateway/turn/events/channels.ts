import { type Channel, channel } from "node:diagnostics_channel";
import type { ErrorCode, GatewayError } from "../error.js";
import type { Usage } from "../event.js";
import type { SideRequest } from "../side-request.js";

/** The gateway's own tools ran during this time of a request. The times are those of the day. */
export interface Pause {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly calls: number;
}

const noPauses: readonly Pause[] = [];

/** What changed since the conversation's last turn, so that the model's cache missed. */
export type CacheMissCause = "model" | "system" | "tools" | "messages" | "nothing" | "unknown";

export type { SideRequest };

/**
 * All that is known about one posted turn. Each request has one record, which is filled in while the request is served;
 * every event about the request carries it. Subscribers read it and never change it. All times are times of the day.
 */
export class RequestRecord {
  /** The gateway that serves the request, of those in this process. */
  readonly gateway: string;
  /** The request's id, which the client may have chosen. */
  readonly requestId: string;
  /** When it came. */
  readonly startedMs: number;

  // Who asks for what
  /** The name of the client's key, or else its program's name in `curlew setup`, or its product. */
  client = "";
  /** Whether that is the name of a key: a program may be called the same. */
  isNamedKey = false;
  /** The first product of its user agent, with the version. */
  userAgent = "";
  /** Identifies the key without revealing it; empty when there is none. */
  caller = "";
  /** Names the Cursor account that the request brought without revealing it; empty when it uses the gateway's own. */
  account = "";
  /** The dialect's id, such as `openai-chat`. */
  dialect = "";
  /** The model as the client named it. */
  askedModel = "";
  /** Whether the client wants a streamed reply. */
  stream = false;
  /** The size of the request. */
  bodyBytes = 0;
  /** The header `traceparent` as it came, if there was one. */
  traceParent: string | undefined;

  // How it is served
  /** The model that answers, by the name that Cursor shows people. */
  model: string | undefined;
  /** The backend that answers. */
  backend: string | undefined;
  /** An id that all requests of the conversation share; not one of Cursor's. */
  thread: string | undefined;
  /** Whether the reply resumed the state that Cursor had, and if not, why: the values of `x-curlew-continuity`. */
  continuity: string | undefined;
  /** Whether it brings new words of the user, not only tool results. */
  bringsWords = false;
  /** Set if the client asked by itself. */
  side: SideRequest | undefined;
  /** What had changed if the model's cache missed. */
  cacheMiss: CacheMissCause | undefined;
  /** Estimated tokens of history that were sent again, or that Cursor may ask for again under a new conversation id. */
  sentAgainTokens = 0;
  /** The gateway's id of the turn: requests with tool results have the same as the request before. */
  turnId: string;
  /** How often the turn had paused for the client's tools before this request. */
  round = 0;
  /** When the first request of the turn came. */
  turnStartedMs: number;
  /** Runs that were started at Cursor for the requests of the turn before this one. */
  earlierRuns = 0;
  /** When the lease of the run ends that this request brings results for. */
  leaseEndsMs: number | undefined;
  /** The estimated input tokens of the run that is opened for it. */
  plannedTokens = 0;
  /** The part of these that the model has probably in its cache. */
  plannedCachedTokens = 0;
  /** When it was decided how the turn continues the conversation. */
  plannedMs: number | undefined;
  /** When a run was opened at Cursor, or a waiting run got its results. */
  openedMs: number | undefined;
  /** When the first byte of the reply went to the client. */
  firstByteMs: number | undefined;
  /** How long the client's tools took before this request brought their results. */
  clientToolsMs = 0;
  /** When the gateway's own tools ran, and for how many calls. */
  pauses: readonly Pause[] = noPauses;
  /** The number of calls for the client that the reply ends with. */
  clientCalls = 0;

  // What it took
  /** The usage of this reply. Its input tokens are those of the last model call: the size of the context. */
  usage: Usage | undefined;
  /** The usage of the whole turn, set on the request with which the turn ended. Only this is summed up. */
  turnUsage: Usage | undefined;
  /** Runs that were started at Cursor for this request, retries included. */
  runs = 0;
  /** Runs that retry a failed one. */
  retries = 0;
  /** Bytes that went to Cursor. */
  sentBytes = 0;
  /** Bytes that came from Cursor. */
  receivedBytes = 0;

  // How it ended
  /** When it ended. */
  endedMs: number | undefined;
  /** Bytes that went to the client. */
  bytes = 0;
  /** Batches of deltas that went to the client, each in one write. */
  batches = 0;
  /** The HTTP status. Only set if the answer went out on the raw response. */
  status: number | undefined;
  /** The warnings that the client got. */
  warnings: readonly string[] | undefined;
  /** The request whose reply this one has joined. */
  joined: string | undefined;
  /** The reply that is made in the background for this request. */
  background: string | undefined;
  /** How it ended: `ok`, `client-left`, or an error code. */
  outcome: "ok" | "client-left" | ErrorCode = "ok";
  /** The error, with its message. */
  error: GatewayError | undefined;
  /** The user's words and the answer, cut to a limit; only if the owner wants them kept. */
  texts: { asked: string; answered: string } | undefined;

  constructor(gateway: string, requestId: string, startedMs: number) {
    this.gateway = gateway;
    this.requestId = requestId;
    this.startedMs = startedMs;
    this.turnId = requestId;
    this.turnStartedMs = startedMs;
  }
}

export const abandonReasons = ["lease-expired", "superseded", "lost", "shutdown", "stopped"] as const;

/** A run that waited for the client's results and was given up: its turn will never report its usage. */
export interface AbandonedRun {
  readonly gateway: string;
  /** The last request of the run, which has ended or is about to. Clients may give many requests one id, so only this object tells them apart. */
  readonly request: RequestRecord;
  readonly requestId: string;
  readonly reason: (typeof abandonReasons)[number];
  /** Our own estimate. */
  readonly usage: Usage;
}

export interface FailedAttempt {
  readonly gateway: string;
  readonly code: ErrorCode;
  readonly isRetried: boolean;
}

export interface TokenRenewal {
  readonly gateway: string;
  readonly isRenewed: boolean;
}

export interface LimitNotice {
  readonly gateway: string;
  readonly requestId: string;
  readonly action: "warned" | "refused" | "slowed";
  /** Such as `day.tokens`. */
  readonly limit: string;
  readonly message: string;
}

export const eventNames = [
  /** A turn was posted and could be read. */
  "curlew:request:received",
  /** The turn was planned: it is known how it continues the conversation. */
  "curlew:request:planned",
  /** A run was opened at Cursor for it. */
  "curlew:request:opened",
  /** A run that had paused got the results of the client's tools. */
  "curlew:request:resumed",
  /** The first byte of the reply goes to the client. */
  "curlew:request:first-byte",
  /** The reply ends with calls for the client, and its run waits for their results. The request finishes right after this. */
  "curlew:request:paused",
  /** The reply is complete. */
  "curlew:request:finished",
  /** The reply is not complete: it failed or was refused, or the client left. */
  "curlew:request:failed",
  /** A run that waited for results was given up. Carries an `AbandonedRun`: its last `request` and `requestId`, the `reason`, an estimate of the `usage`. */
  "curlew:run:abandoned",
  /** An attempt at Cursor failed. Carries a `FailedAttempt`: the error `code`, and whether it `isRetried`. */
  "curlew:upstream:failed",
  /** Token renewal succeeded or failed. Carries a `TokenRenewal`: `isRenewed`. */
  "curlew:token:renewed",
  /** One of the owner's limits was reached. Carries a `LimitNotice`: `requestId`, `limit`, `action`, `message`. */
  "curlew:limit:reached",
] as const;

/** The messages of the channels that do not carry the record of a request. */
interface Notices {
  "curlew:run:abandoned": AbandonedRun;
  "curlew:upstream:failed": FailedAttempt;
  "curlew:token:renewed": TokenRenewal;
  "curlew:limit:reached": LimitNotice;
}

export type EventName = (typeof eventNames)[number];
export type EventMessage<Name extends EventName> = Name extends keyof Notices ? Notices[Name] : RequestRecord;

const channels = Object.fromEntries(eventNames.map((name) => [name, channel(name)])) as Record<EventName, Channel>;

/** Publishes to all listeners. Costs next to nothing without any. */
export function publish<Name extends EventName>(name: Name, message: EventMessage<Name>): void {
  const { [name]: to } = channels;
  if (to.hasSubscribers) to.publish(message);
}

export type Listeners = { readonly [Name in EventName]?: (message: EventMessage<Name>) => void };

/** Listens to the events of one gateway, until the returned function is called. What a listener throws goes to `onProblem`. */
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

/** Publishes the first byte of the reply, once. */
export function noteFirstByte(record: RequestRecord, nowMs: number): void {
  if (record.firstByteMs !== undefined) return;
  record.firstByteMs = nowMs;
  publish("curlew:request:first-byte", record);
}

/** Publishes the end of a request, once, right before its client sees it: so the turn is recorded whatever happens next. */
export function noteEnded(record: RequestRecord, nowMs: number): void {
  if (record.endedMs !== undefined) return;
  record.endedMs = nowMs;
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}
