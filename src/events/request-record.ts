import type { ErrorCode, GatewayError } from "../turn/error.js";
import type { Usage } from "../turn/event.js";

/** The gateway's own tools ran during this time of a request. The times are those of the day. */
export interface Pause {
  readonly startedMs: number;
  readonly endedMs: number;
  /** How many calls it was for. */
  readonly calls: number;
}

/** What differs from the conversation's last turn, so that the model's cache did not serve it. */
export type CacheMissCause = "model" | "system" | "tools" | "messages" | "nothing" | "unknown";

/**
 * All that is known about one posted turn. There is one such object for each request; it is filled in while the request is served,
 * and every event about the request carries it. Subscribers read it and never change it. All times are times of the day.
 */
export interface RequestRecord {
  /** The gateway that serves the request, of those in this process. */
  readonly gateway: string;
  /** The request's id, which the client may have chosen. */
  readonly requestId: string;
  /** When it came. */
  readonly startedMs: number;

  // Who asks for what
  /** The name of the client's key, or else the first product of its user agent. */
  client: string;
  /** Identifies the key without revealing it; empty when there is none. */
  caller: string;
  /** The dialect's id, such as `openai-chat`. */
  dialect: string;
  /** The model as the client named it. */
  askedModel: string;
  /** Whether the client wants the reply as it comes. */
  stream: boolean;
  /** The size of the request. */
  bodyBytes: number;
  /** The header `traceparent` as it came, if there was one. */
  traceParent: string | undefined;

  // How it is served
  /** The model that answers, by the name that Cursor shows people. */
  model: string | undefined;
  /** The backend that answers. */
  backend: string | undefined;
  /** What the conversation of the request has in common with the requests before it; not an id of Cursor's. */
  thread: string | undefined;
  /** Whether the reply resumed the state that Cursor had, and if not, why: the values of `x-curlew-continuity`. */
  continuity: string | undefined;
  /** What had changed when the model's cache did not serve the turn. */
  cacheMiss: CacheMissCause | undefined;
  /** The estimated tokens of the history that were sent again. */
  sentAgainTokens: number;
  /** The turn, by a name of the gateway's own: requests that bring the results of tools have that of the request before. */
  turnId: string;
  /** How often the turn had paused for the client's tools before this request. */
  round: number;
  /** When it was known where the conversation goes on. */
  plannedMs: number | undefined;
  /** When a run was opened at Cursor, or one that waited got its results. */
  openedMs: number | undefined;
  /** When the first byte of the reply went to the client. */
  firstByteMs: number | undefined;
  /** How long the client's tools took before this request brought their results. */
  clientToolsMs: number;
  /** When the gateway's own tools ran, and for how many calls. */
  pauses: readonly Pause[];
  /** How many calls the reply ends with, which the client is to run. */
  clientCalls: number;

  // What it took
  /** The usage of this reply: what its last model call read is the size of the context. */
  usage: Usage | undefined;
  /** The usage of the whole turn, set on the request with which the turn ended. Only this is ever summed up. */
  turnUsage: Usage | undefined;
  /** Runs that were started at Cursor for this request, retries included. */
  runs: number;
  /** Runs that repeat one that failed. */
  retries: number;
  /** Bytes that went to Cursor. */
  sentBytes: number;
  /** Bytes that came from Cursor. */
  receivedBytes: number;

  // How it ended
  /** When it was over. */
  endedMs: number | undefined;
  /** Bytes that went to the client. */
  bytes: number;
  /** Batches of deltas that went to the client, each in one write. */
  batches: number;
  /** The HTTP status. Only set if the answer went out on the raw response. */
  status: number | undefined;
  /** The warnings that the client got. */
  warnings: readonly string[] | undefined;
  /** The request whose reply this one has joined. */
  joined: string | undefined;
  /** The reply that is made in the background for this request. */
  background: string | undefined;
  /** How it ended: `ok`, `client-left`, or an error code. */
  outcome: "ok" | "client-left" | ErrorCode;
  /** The error, with its message. */
  error: GatewayError | undefined;
  /** The user's words and the answer, cut to a limit; only where the owner wants them kept. */
  texts: { asked: string; answered: string } | undefined;
}

export function newRecord(gateway: string, requestId: string, startedMs: number): RequestRecord {
  return {
    gateway,
    requestId,
    startedMs,
    client: "",
    caller: "",
    dialect: "",
    askedModel: "",
    stream: false,
    bodyBytes: 0,
    traceParent: undefined,
    model: undefined,
    backend: undefined,
    thread: undefined,
    continuity: undefined,
    cacheMiss: undefined,
    sentAgainTokens: 0,
    turnId: requestId,
    round: 0,
    plannedMs: undefined,
    openedMs: undefined,
    firstByteMs: undefined,
    clientToolsMs: 0,
    pauses: noPauses,
    clientCalls: 0,
    usage: undefined,
    turnUsage: undefined,
    runs: 0,
    retries: 0,
    sentBytes: 0,
    receivedBytes: 0,
    endedMs: undefined,
    bytes: 0,
    batches: 0,
    status: undefined,
    warnings: undefined,
    joined: undefined,
    background: undefined,
    outcome: "ok",
    error: undefined,
    texts: undefined,
  };
}

const noPauses: readonly Pause[] = [];
