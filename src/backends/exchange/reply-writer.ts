import { GatewayError } from "../../turn/error.js";
import type { FinishReason, TurnEvent, TurnEvents } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { ClientCall } from "../backend.js";
import { UpdateDecoder } from "../cli/acp/decode.js";
import { ErrorLine } from "../cli/acp/error-line.js";
import { ReplyMeter } from "../cli/acp/reply-meter.js";

/** What may wait for a reader: far more than any answer. The process serves others too, so it cannot be made to wait. */
const MAX_HELD_CHARACTERS = 16 * 1024 * 1024;

/** Writes what a turn says into its replies, one after another. */
export class ReplyWriter {
  readonly meter: ReplyMeter;
  readonly #decoder = new UpdateDecoder();
  readonly #errorLine = new ErrorLine();
  #heldCharacters = 0;
  #queue = this.#newQueue();
  /** Whether somebody reads the present reply. While nobody does, it is the next one that fills. */
  #isRead = false;
  #callsTold = 0;
  #hasSpoken = false;
  #isEmpty = true;

  constructor(estimatedTokens: number) {
    this.meter = new ReplyMeter(estimatedTokens);
  }

  /** Whether there is anything of the model's in the present reply. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The same of all replies. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  get isRead(): boolean {
    return this.#isRead;
  }

  /** Whether there is a reply, with calls in it, for somebody who waits for it. */
  get canPause(): boolean {
    return this.#isRead && this.#callsTold > 0;
  }

  read(): TurnEvents {
    this.#isRead = true;
    return this.#queue;
  }

  update(update: unknown): void {
    for (const event of this.#decoder.push(update)) {
      if (event.type === "text") this.#say(this.#errorLine.push(event.delta));
      else {
        this.#say(this.#errorLine.disprove());
        this.#push(event);
      }
    }
    this.#commit();
    if (this.#heldCharacters > MAX_HELD_CHARACTERS) {
      throw new GatewayError("canceled", "The reply was given up: its reader took nothing of it.");
    }
  }

  call({ id, name, input }: ClientCall): void {
    this.#callsTold++;
    this.#say(this.#errorLine.disprove());
    this.#push({ type: "call", id, name, runs: "client" });
    this.#push({ type: "call-input", id, delta: input });
    this.#push({ type: "call-end", id });
    this.#commit();
  }

  /** Ends the reply at its calls; the next begins. */
  pause(): void {
    this.#callsTold = 0;
    this.#queue.batch.push({ type: "usage", usage: this.meter.reply }, { type: "finish", reason: "tool-calls" });
    this.#queue.end();
    this.meter.next();
    this.#queue = this.#newQueue();
    this.#isRead = false;
    this.#isEmpty = true;
  }

  /** All has been said. Gives back the last line if that tells of a failure. */
  settle(): string | undefined {
    const { text, failure } = this.#errorLine.end();
    this.#say(text);
    return failure;
  }

  finish(reason: FinishReason, state: Uint8Array | undefined): void {
    const { reply: usage, turn } = this.meter;
    if (state !== undefined) this.#queue.batch.push({ type: "checkpoint", state, phase: "settled" });
    this.#queue.batch.push({ type: "usage", usage, turn }, { type: "finish", reason });
    this.#queue.end();
  }

  fail(error: GatewayError): void {
    this.#queue.end(error);
  }

  #say(delta: string): void {
    if (delta !== "") this.#push({ type: "text", delta });
  }

  #push(event: TurnEvent): void {
    this.#hasSpoken = true;
    this.#isEmpty = false;
    const { batch } = this.#queue;
    if ("delta" in event) {
      this.meter.said(event.delta.length);
      this.#heldCharacters += event.delta.length;
    }
    const last = batch.at(-1);
    if ((event.type === "text" || event.type === "thinking") && last?.type === event.type) last.delta += event.delta;
    else batch.push(event);
  }

  #commit(): void {
    if (this.#queue.commit()) this.#heldCharacters = 0;
  }

  #newQueue(): EventQueue {
    return new EventQueue(() => {
      this.#heldCharacters = 0;
    });
  }
}
