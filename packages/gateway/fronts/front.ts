import type { IncomingHttpHeaders } from "node:http";
import type { Reply, TextStore } from "../core/index.js";
import type { TurnResult } from "../turn/collect.js";
import type { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { SlicedWork } from "../turn/slices.js";
import type { Turn } from "../turn/turn.js";
import type { DialectName } from "./dialect-names.js";
import type { Frame, FrameWriter } from "./frame.js";
import type { RouteDescription } from "./openapi/index.js";

export interface ClientRequest {
  /** Parsed JSON; undefined if the route takes none. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly store: ReplyStore;
}

export interface AddressedRequest extends ClientRequest {
  /** A parameter of the address; empty if the route has none of that name. */
  param(name: string): string;
  query(name: string): string | undefined;
}

/** Where a dialect keeps replies for later requests of the same client. Opened lazily, because few requests use it. */
export interface ReplyStore {
  readonly lasting: TextStore;
  /** Lasts as long as the connection, if one connection carries many requests. */
  readonly connection?: TextStore | undefined;
  /** The run of a background reply, while it lasts and for a short time afterwards. */
  background?(id: string): BackgroundRun | undefined;
}

/** A run that makes a reply without a reader. */
export interface BackgroundRun {
  readonly hasEnded: boolean;
  /** Whether every frame of the reply can still be read. */
  readonly isReadable: boolean;
  /** Ends the run and keeps the reply as it is, unless the run has ended. */
  cancel(): void;
}

/** What a front must know about a reply before the first byte is written. */
export interface ReplyHead {
  /** The model that answers, under a name that the client may use. */
  readonly model: string;
  /** A unique id, the same in every chunk. The front builds its own ids from it. */
  readonly id: string;
  readonly createdMs: number;
  readonly cacheMiss?: Reply["cacheMiss"];
}

export interface StreamEncoder<Reply> {
  push(batch: Batch): void;
  /** Closes a complete reply. Returns it as a whole if the front keeps replies. */
  end(endedMs: number): Reply;
  /** Closes a reply that broke off, in dialects whose error event describes the reply so far. */
  fail?(error: GatewayError): Reply;
}

/** Writes a reply that is kept at each step, so that it can be read before it is complete. Each frame is one write. */
export interface BackgroundEncoder<Reply> extends StreamEncoder<Reply> {
  readonly id: string;
  /** Writes that the reply is queued; its run has not begun. */
  queue(): Reply;
  /** Writes that its run has begun, with the model that answers. */
  begin(model: string): Reply;
  fail(error: GatewayError): Reply;
  cancel(): Reply;
}

export interface ParsedRequest<Request> {
  turn: Turn;
  wantsStream: boolean;
  request: Request;
  wantsCacheMiss?: boolean;
  /** Whether to answer with an empty reply, without a run. Later requests continue from it. */
  isWarmUp?: boolean;
  /** Whether the reply is made without a reader, and read later by its id. */
  isBackground?: boolean;
}

export interface WrittenError {
  status: number;
  body: unknown;
  /** The same error for a stream that has begun. It closes the stream in the dialect's own way. */
  frame: Frame;
}

/** One dialect. Everything here is pure except the store of replies: no socket, no clock, no log. */
export interface Front<Request, Reply = unknown> {
  readonly path: string;
  readonly dialect: DialectName;
  readonly description: RouteDescription;
  /** Whether a request is certainly meant for this front, to recognise one that was sent to another front. */
  claims?(request: Pick<ClientRequest, "body" | "headers">): boolean;
  /** @throws {GatewayError} The request is invalid or not supported here; the error names the field at fault. */
  parse(request: ClientRequest): ParsedRequest<Request>;
  reply(result: TurnResult, request: Request, head: ReplyHead, endedMs: number): Reply;
  encoder(request: Request, head: ReplyHead, out: FrameWriter): StreamEncoder<Reply>;
  backgroundEncoder?(request: Request, head: ReplyHead, out: FrameWriter): BackgroundEncoder<Reply>;
  /** Keeps a reply, in dialects whose requests can continue from one. It is kept once all the work is done. */
  keep?(reply: Reply, request: Request, store: ReplyStore): SlicedWork<undefined>;
  error(error: GatewayError, requestId: string, nowMs: number): WrittenError;
  /** The keep-alive of a stream that has begun, in dialects that have such an event. */
  readonly beat?: Frame;
}

/** A front that also serves WebSockets: each message is a request, and each frame of a reply is a message. */
export interface SocketFront<Request, Reply = unknown> extends Front<Request, Reply> {
  /** @throws {GatewayError} `invalid_request`, if the message is not a request. */
  readMessage(message: unknown): SocketMessage;
  /** An error that is not part of a reply. */
  errorMessage(error: GatewayError): string;
}

export interface SocketMessage {
  readonly body: unknown;
  /** The id of the kept reply that the request continues. */
  readonly continuedId: string | undefined;
}
