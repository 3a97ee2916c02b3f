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
  readonly requestId: string;
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
  stream: boolean;
  bodyBytes: number;

  // How it is served
  /** The model that answers, by the name that Cursor shows people. */
  model: string | undefined;
  backend: string | undefined;
  /** What the conversation of the request has in common with the requests before it; not an id of Cursor's. */
  thread: string | undefined;
  continuity: string | undefined;
  cacheMiss: CacheMissCause | undefined;
  /** The estimated tokens of the history that were sent again. */
  sentAgainTokens: number;
  /** The request that began this turn; the request itself if it is the first one. */
  turnId: string;
  /** How often the turn had paused for the client's tools before this request. */
  round: number;
  plannedMs: number | undefined;
  openedMs: number | undefined;
  /** When the first byte of the reply went to the client. */
  firstByteMs: number | undefined;
  /** How long the client's tools took before this request brought their results. */
  clientToolsMs: number;
  /** The gateway's own tools. */
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
  retries: number;
  sentBytes: number;
  receivedBytes: number;

  // How it ended
  endedMs: number | undefined;
  /** Bytes and batches that went to the client. */
  bytes: number;
  batches: number;
  /** Only set if the answer went out on the raw response. */
  status: number | undefined;
  warnings: readonly string[] | undefined;
  /** The request whose reply this one has joined. */
  joined: string | undefined;
  /** The reply that is made in the background for this request. */
  background: string | undefined;
  outcome: "ok" | "client-left" | ErrorCode;
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
