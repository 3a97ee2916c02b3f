import { setMaxListeners } from "node:events";
import { type Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { request as requestSecurely } from "node:https";
import { create, toBinary } from "@bufbuild/protobuf";
import { BidiRequestIdSchema } from "../../../gen/agent_v1_pb.js";
import { unreachable } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import { ENVELOPE_HEADER_BYTES, encodeEnvelope } from "../../cursor/envelope.js";
import { type AppendDeps, sendAppend } from "./append.js";
import { AppendQueue } from "./append-queue.js";
import { RunAnswer } from "./run-answer.js";
import type { RunChannel, RunSink } from "./run-channel.js";

const PATH = "/agent.v1.AgentService/RunSSE";
/** A server that does not end its answer behind the end frame is not waited for longer. */
const LINGER_MS = 5_000;

export interface SseRunDeps extends Omit<AppendDeps, "agent" | "headers" | "judge" | "signal"> {
  readonly runHeaders: Readonly<Record<string, string>>;
  readonly appendHeaders: Readonly<Record<string, string>>;
  readonly runAgent: Agent;
  readonly appendAgent: Agent;
  readonly onOver: () => void;
}

/** A run over HTTP/1.1: what the server says comes as one long answer, what we say goes as requests of their own. */
export class SseRun implements RunChannel {
  readonly #answer: RunAnswer;
  readonly #queue: AppendQueue;
  readonly #now: () => number;
  readonly #leaving = new AbortController();
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #isHeld = false;

  constructor(sink: RunSink, deps: SseRunDeps) {
    const { origin, requestId, clock, runAgent, appendAgent } = deps;
    setMaxListeners(0, this.#leaving.signal); // one for each append on its way
    this.#now = clock.now;
    this.#answer = new RunAnswer({ sink, now: clock.now, onOver: () => this.#letGo(deps.onOver) });
    const appending: AppendDeps = {
      ...deps,
      agent: appendAgent,
      headers: deps.appendHeaders,
      judge: (failure) => sink.judge(failure),
      signal: this.#leaving.signal,
    };
    this.#queue = new AppendQueue({
      send: (seqno, payload) => sendAppend(seqno, payload, appending),
      onFailed: (error) => this.cancel(error),
      onRoom: () => this.#flow(),
    });
    const url = new URL(PATH, origin);
    this.#request = (url.protocol === "https:" ? requestSecurely : request)(url, {
      agent: runAgent,
      method: "POST",
      headers: deps.runHeaders,
    });
    this.#request.once("error", (cause) => {
      this.#answer.fail(cause instanceof GatewayError ? cause : unreachable(origin, cause));
      this.#answer.finish();
    });
    this.#request.once("response", (response) => this.#read(response));
    this.#request.end(encodeEnvelope(toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }))));
  }

  get lastInMs(): number {
    return this.#answer.lastInMs;
  }

  get heldBytes(): number {
    return this.#answer.heldBytes;
  }

  set heldBytes(bytes: number) {
    this.#answer.heldBytes = bytes;
  }

  get isPaused(): boolean {
    return this.#response?.isPaused() ?? false;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  write(frame: Buffer): void {
    this.#queue.push(frame.subarray(ENVELOPE_HEADER_BYTES));
    if (this.#queue.isFull) this.#response?.pause();
  }

  pause(): void {
    this.#isHeld = true;
    this.#response?.pause();
  }

  resume(): void {
    this.#isHeld = false;
    this.#flow();
  }

  /** Whoever drops the answer has cancelled the run. */
  cancel(reason: GatewayError): void {
    if (!this.#answer.canCancel) return;
    this.#answer.fail(reason);
    this.#leaving.abort();
    this.#request.destroy();
    this.#answer.finish();
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    const header = (name: string) => String(response.headers[name] ?? "");
    response.on("error", (cause) => this.#answer.lose(cause));
    response.once("close", () => this.#answer.finish());
    this.#answer.read(response, { status: response.statusCode ?? 0, header }, (reason) => this.cancel(reason));
  }

  /** Reads on, unless the consumer or our own answers are behind. */
  #flow(): void {
    if (this.#isHeld || this.#queue.isFull || this.#response === undefined) return;
    this.#answer.lastInMs = this.#now(); // silence that we asked for does not count
    this.#response.resume();
  }

  #letGo(tell: () => void): void {
    tell();
    this.#queue.close();
    this.#response?.resume(); // an unread rest would keep the socket from being used again
    this.#request.setTimeout(LINGER_MS, () => this.#request.destroy());
  }
}
