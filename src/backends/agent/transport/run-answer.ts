import type { Readable } from "node:stream";
import type { AnswerHead } from "../../../network/index.js";
import { brokenOff } from "../../../network/index.js";
import { GatewayError } from "../../../turn/error.js";
import { EnvelopeReader } from "../../cursor/envelope.js";
import { parseEndFrame, withHeaders } from "../../cursor/failure.js";
import { isProtobuf, readRefusal } from "../../cursor/refusal.js";
import type { RunSink } from "./run-channel.js";

interface RunAnswerDeps {
  readonly sink: RunSink;
  readonly now: () => number;
  /** There is nothing left to say or to hear. */
  readonly onOver: () => void;
}

/** The server's half of a run, on either transport: frames up to the end frame, or a refusal. */
export class RunAnswer {
  lastInMs: number;
  heldBytes = 0;
  /** Whether the server has said anything yet. */
  hasBegun = false;
  readonly #deps: RunAnswerDeps;
  #header: AnswerHead["header"] = () => "";
  #failure: GatewayError | undefined;
  #isOver = false;
  #sawEnd = false;

  constructor(deps: RunAnswerDeps) {
    this.#deps = deps;
    this.lastInMs = deps.now();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether anything is left that could be called off. */
  get canCancel(): boolean {
    return !this.#isOver && !this.#sawEnd;
  }

  /** `cancel` breaks the transport off when a frame makes no sense. */
  read(body: Readable, { status, header }: AnswerHead, cancel: (reason: GatewayError) => void): void {
    this.#header = header;
    if (isProtobuf(status, header("content-type"))) this.#readFrames(body, cancel);
    else
      readRefusal(
        body,
        { status, header },
        (failure) => this.#deps.sink.judge(failure),
        (refusal) => {
          this.#failure = refusal;
          this.finish();
        },
      );
  }

  /** The first reason counts. */
  fail(reason: GatewayError): void {
    this.#failure ??= reason;
  }

  lose(cause: unknown): void {
    this.fail(brokenOff(cause));
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deps.onOver();
    this.#deps.sink.ended(this.#failure ?? (this.#sawEnd ? undefined : brokenOff()));
  }

  #readFrames(body: Readable, cancel: (reason: GatewayError) => void): void {
    const { sink, now } = this.#deps;
    const reader = new EnvelopeReader({
      message: (bytes, start, end) => sink.message(bytes, start, end),
      end: (json) => {
        this.#sawEnd = true;
        const failure = parseEndFrame(json);
        if (failure !== undefined) this.#failure = sink.judge(withHeaders(failure, this.#header));
      },
    });
    body.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      this.lastInMs = now();
      this.hasBegun = true;
      this.heldBytes += chunk.length;
      try {
        reader.push(chunk);
        sink.flush();
      } catch (thrown) {
        cancel(GatewayError.from(thrown));
      }
      if (this.#sawEnd) this.finish();
    });
    body.once("end", () => this.finish()); // without an end frame
  }
}
