import type { Agent } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { BidiAppendRequestSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { TokenSource } from "../../../account/token.js";
import { headOf, requestTo, unreachable } from "../../../network/index.js";
import type { Clock } from "../../../system/clock.js";
import { Turnstile } from "../../../system/turnstile.js";
import { GatewayError } from "../../../turn/error.js";
import { type Judge, readRefusal } from "../../cursor/refusal.js";
import { askedTooMuch, FULL_BYTES, MAX_HELD_BYTES } from "./run-channel.js";

/** The client's half of a run (docs/protocol/wire.md, runs over HTTP/1.1). */
const PATH = "/aiserver.v1.BidiService/BidiAppend";
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;

export interface AppendDeps {
  readonly origin: string;
  readonly agent: Agent;
  /** All headers but the authorization: a run may outlive the token that it began with. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly tokens: Pick<TokenSource, "get" | "renew">;
  readonly clock: Clock;
  readonly judge: Judge;
  readonly signal: AbortSignal;
}

/** Sending twice is safe: the server drops a number that it has seen (docs/protocol/wire.md, runs over HTTP/1.1). @throws GatewayError */
export async function sendAppend(seqno: number, payload: Uint8Array, deps: AppendDeps): Promise<void> {
  const { requestId, tokens, clock, signal } = deps;
  const data = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("hex");
  const request = { data, requestId: { requestId }, appendSeqno: BigInt(seqno) };
  const body = toBinary(BidiAppendRequestSchema, create(BidiAppendRequestSchema, request));
  let token = await tokens.get(signal);
  let hasRenewed = false;
  for (let attempt = 1; ; attempt++) {
    const error = await post(body, token, deps);
    if (error === undefined || signal.aborted) return;
    // A run that begins with a bad token is restarted as a whole. A run in progress has outlived its token.
    if (error.kind === "authentication" && seqno > 0 && !hasRenewed) {
      hasRenewed = true;
      token = await tokens.renew(token, signal);
    } else {
      if (!error.isRetryable || attempt >= MAX_ATTEMPTS) throw error;
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}

/** A minute, and one second more for each 128 KiB, as in Cursor's own CLI (docs/protocol/wire.md, runs over HTTP/1.1). */
export function appendDeadlineMs(bytes: number): number {
  return 60_000 + 1_000 * Math.ceil(bytes / (128 * 1024));
}

function post(body: Uint8Array, token: string, deps: AppendDeps): Promise<GatewayError | undefined> {
  const { origin, agent, headers, clock, judge, signal } = deps;
  return new Promise((resolve) => {
    const settle = (error?: GatewayError) => {
      stopWaiting();
      resolve(error);
    };
    const sending = requestTo(new URL(PATH, origin), {
      agent,
      signal,
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${token}`, "content-length": body.length },
    });
    const stopWaiting = clock.after(appendDeadlineMs(body.length), () => {
      const text = "Cursor did not accept a message of the run in time. Check the network, then try again.";
      sending.destroy(new GatewayError("timeout", text, { isRetryable: true }));
    });
    sending.once("error", (cause) => settle(unreachable(origin, cause)));
    sending.once("response", (response) => {
      response.once("error", (cause) => settle(unreachable(origin, cause)));
      if (response.statusCode === 200) response.once("end", () => settle()).resume();
      else readRefusal(response, headOf(response), judge, settle);
    });
    sending.end(body);
  });
}

/** Cursor's own clients keep up to 16 appends in flight (docs/protocol/wire.md, runs over HTTP/1.1). */
const MAX_IN_FLIGHT = 16;

interface AppendQueueDeps {
  /** Resolves when the server has the message, rejects when it never will. */
  readonly send: (seqno: number, payload: Uint8Array) => Promise<void>;
  readonly onFailed: (error: GatewayError) => void;
  readonly onRoom: () => void;
}

/** Sends the client's messages, numbered, several at once. The first goes alone, because it creates the run. */
export class AppendQueue {
  readonly #deps: AppendQueueDeps;
  readonly #turnstile = new Turnstile(MAX_IN_FLIGHT);
  #first: Promise<void> | undefined;
  #heldBytes = 0;
  #nextSeqno = 0;
  #isClosed = false;

  constructor(deps: AppendQueueDeps) {
    this.#deps = deps;
  }

  get isFull(): boolean {
    return this.#heldBytes > FULL_BYTES;
  }

  push(payload: Uint8Array): void {
    if (this.#heldBytes > 0 && this.#heldBytes + payload.length > MAX_HELD_BYTES) this.#fail(askedTooMuch());
    if (this.#isClosed) return;
    this.#heldBytes += payload.length;
    const seqno = this.#nextSeqno++;
    const send = async () => {
      if (!this.#isClosed) await this.#deps.send(seqno, payload);
    };
    const sent = this.#first === undefined ? send() : this.#first.then(() => this.#turnstile.pass(send));
    this.#first ??= sent;
    sent.then(
      () => this.#onSent(payload.length),
      (thrown: unknown) => this.#fail(GatewayError.from(thrown)),
    );
  }

  /** Sends nothing more and does not wait for messages in flight. */
  close(): void {
    this.#isClosed = true;
  }

  #onSent(bytes: number): void {
    const wasFull = this.isFull;
    this.#heldBytes -= bytes;
    if (wasFull && !this.isFull && !this.#isClosed) this.#deps.onRoom();
  }

  #fail(error: GatewayError): void {
    if (this.#isClosed) return;
    this.close();
    this.#deps.onFailed(error);
  }
}
