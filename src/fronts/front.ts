import type { IncomingHttpHeaders } from "node:http";
import type { TextStore } from "../gateway/index.js";
import type { TurnResult } from "../turn/collect.js";
import type { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import type { Frame, FrameWriter, Framing } from "./frame.js";
import type { RouteDescription } from "./openapi/index.js";

/** One request, as a dialect sees it. */
export interface ClientRequest {
  /** Parsed JSON; undefined where the route takes none. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** A part of the address by its name; empty where the route has none of that name. */
  param(name: string): string;
  query(name: string): string | undefined;
  readonly store: ReplyStore;
}

/** Where a dialect keeps replies for later requests of the same client. Opened by the few requests that use it. */
export interface ReplyStore {
  readonly lasting: TextStore;
  /** For what is kept only as long as the connection lasts, where one connection carries many requests. */
  readonly connection?: TextStore | undefined;
}

/** What a front must know of a reply before the first byte is written. */
export interface ReplyHead {
  /** The model that answers, as the client may name it. */
  readonly model: string;
  /** Unique, and the same in every chunk: what the front builds its own ids from. */
  readonly id: string;
  readonly createdMs: number;
}

/** Writes the batches of one streamed reply as frames. */
export interface StreamEncoder<Reply> {
  push(batch: Batch): void;
  /** Closes a reply that came to its end. Gives it whole where the front keeps replies. */
  end(endedMs: number): Reply;
  /** Closes a reply that broke off, where the dialect's word for that tells of the reply so far. */
  fail?(error: GatewayError): void;
}

export interface ParsedRequest<Request> {
  turn: Turn;
  wantsStream: boolean;
  request: Request;
  /** Whether nothing is to be said yet: the reply is empty, and later requests go on from it. */
  isWarmUp?: boolean;
}

export interface WrittenError {
  status: number;
  body: unknown;
  /** The same error for a stream whose head is already out; it closes the stream in the dialect's own way. */
  frame: Frame;
}

/** One dialect. Everything here is pure but for the store of replies: no socket, no clock, no log. */
export interface Front<Request, Reply = unknown> {
  readonly path: string;
  readonly description: RouteDescription;
  parse(request: ClientRequest): ParsedRequest<Request>;
  reply(result: TurnResult, request: Request, facts: ReplyHead, endedMs: number): Reply;
  /** How a streamed reply stands in the body of an answer. */
  readonly framing: Framing;
  encoder(request: Request, facts: ReplyHead, out: FrameWriter): StreamEncoder<Reply>;
  /** Keeps a reply that came to its end, where the dialect has requests that go on from a reply. */
  keep?(reply: Reply, request: Request, store: ReplyStore): void;
  error(error: GatewayError, requestId: string, nowMs: number): WrittenError;
  /** What a stream says in a long silence once it has begun, where the dialect has a word for that. */
  readonly beat?: Frame;
}

/** A front that is also spoken on WebSockets, where each message is a request and each frame of a reply a message. */
export interface SocketFront<Request, Reply = unknown> extends Front<Request, Reply> {
  /** Throws for a message that is no request. */
  readMessage(message: unknown): SocketMessage;
  /** An error that is no part of a reply. */
  errorMessage(error: GatewayError): string;
}

export interface SocketMessage {
  readonly body: unknown;
  /** The kept reply that the request goes on from. */
  readonly continuedId: string | undefined;
}
