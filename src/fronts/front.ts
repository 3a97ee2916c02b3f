import type { Shelf } from "../gateway/index.js";
import type { TurnResult } from "../turn/collect.js";
import type { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";

/** What a front must know of a reply before the first byte is written. */
export interface ReplyFacts {
  /** The model that answers, as the client may name it. */
  readonly model: string;
  /** Unique, and the same in every chunk: what the front builds its own ids from. */
  readonly id: string;
  readonly createdMs: number;
}

/** Turns batches into the frames of one streamed reply. One batch in, one string out. */
export interface StreamEncoder {
  push(batch: Batch): string;
  /** The frames that close a reply that came to its end. */
  end(): string;
  /** The frames that close a reply that broke off, where the dialect's word for that tells of the reply so far. */
  fail?(error: GatewayError): string;
}

export interface ParsedRequest<Request> {
  turn: Turn;
  wantsStream: boolean;
  request: Request;
}

export interface WrittenError {
  status: number;
  body: unknown;
  /** The same error for a stream whose head is already out; it closes the stream in the dialect's own way. */
  frame: string;
}

/** One dialect. Everything here is pure but for what a dialect keeps on the shelf: no socket, no clock, no log. */
export interface Front<Request> {
  readonly path: string;
  parse(body: unknown, headers: Headers, shelf: Shelf): ParsedRequest<Request>;
  reply(result: TurnResult, request: Request, facts: ReplyFacts): unknown;
  encoder(request: Request, facts: ReplyFacts): StreamEncoder;
  error(error: GatewayError, requestId: string): WrittenError;
  /** What a stream says in a long silence once it has begun, where the dialect has a word for that. */
  readonly beat?: string;
}
