import type { Clock } from "../../clock.js";
import type { GatewayError } from "../../turn/error.js";
import type { FinishReason, TurnEvent, TurnEvents } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { ClientCall } from "../backend.js";
import { UsageMeter } from "./usage-meter.js";

interface ReplyWriterDeps {
  readonly clock: Clock;
  /** No further call for so long means that all of a parallel group have come. */
  readonly quietMs: number;
  /** What the model reads, by a guess. */
  readonly estimatedTokens: number;
  /** The reader has taken all that was held for it. */
  readonly onTaken: () => void;
  /** A reply has ended at its calls, and the next one begins. */
  readonly onPause: () => void;
}

/** Writes what a turn says into its replies, one after another: a pause for the client's calls ends one and begins the next. */
export class ReplyWriter {
  readonly meter: UsageMeter;
  /** Whether somebody reads the present reply. While nobody does, it goes on filling: it is the next one that will be read. */
  isRead = false;
  /** Whether there is nothing of the model's in the present reply. */
  isEmpty = true;
  /** Whether there is anything of the model's in any reply. */
  hasSpoken = false;
  /** Calls of the present reply that the client was told in full. */
  callsTold = 0;
  readonly #deps: ReplyWriterDeps;
  #queue: EventQueue;
  #isEnded = false;
  #callsBegun = 0;
  #heldCharacters = 0;
  #stopTimer: () => void = () => {};

  constructor(deps: ReplyWriterDeps) {
    this.#deps = deps;
    this.meter = new UsageMeter(deps.estimatedTokens);
    this.#queue = new EventQueue(deps.onTaken);
  }

  /** What was written and not taken yet. */
  get batch(): readonly TurnEvent[] {
    return this.#queue.batch;
  }

  get heldCharacters(): number {
    return this.#queue.batch.length === 0 ? 0 : this.#heldCharacters;
  }

  /** Whether there is a reply, with nothing but whole calls in it, for somebody who waits for it. */
  get canPause(): boolean {
    return this.callsTold > 0 && this.callsTold === this.#callsBegun && this.isRead && !this.#isEnded;
  }

  read(): TurnEvents {
    this.isRead = true;
    if (this.callsTold > 0) this.awaitQuiet(); // calls that came while nobody was there
    return this.#queue;
  }

  /** Neighbouring deltas that arrive together leave together. */
  say(type: "text" | "thinking", delta: string): void {
    this.#count(delta.length);
    this.hasSpoken = true;
    this.isEmpty = false;
    const { batch } = this.#queue;
    const last = batch[batch.length - 1];
    if (last !== undefined && last.type === type) last.delta += delta;
    else batch.push({ type, delta });
  }

  /** One event, which may be of any kind but those that end a reply. */
  write(event: TurnEvent): void {
    if (event.type === "text" || event.type === "thinking") {
      this.say(event.type, event.delta);
      return;
    }
    this.#count(event.type === "call-input" ? event.delta.length : event.type === "call" ? event.name.length : 0);
    if (event.type !== "checkpoint") {
      this.hasSpoken = true;
      this.isEmpty = false;
    }
    this.#queue.batch.push(event);
  }

  beginCall(id: string, name: string): void {
    this.#callsBegun++;
    this.write({ type: "call", id, name, runs: "client" });
  }

  writeInput(id: string, delta: string): void {
    this.write({ type: "call-input", id, delta });
  }

  endCall(id: string): void {
    this.callsTold++;
    this.write({ type: "call-end", id });
  }

  /** A whole call; others of its group may follow. */
  call({ id, name, input }: ClientCall): void {
    this.beginCall(id, name);
    this.writeInput(id, input);
    this.endCall(id);
    this.awaitQuiet();
  }

  /** Hands what was written to a reader that waits for it. False means that it is held. */
  commit(): boolean {
    return this.#queue.commit();
  }

  /** Counts the quiet from now on. */
  awaitQuiet(): void {
    const { clock, quietMs } = this.#deps;
    this.#stopTimer();
    this.#stopTimer = clock.after(quietMs, () => {
      if (this.canPause) this.pause();
    });
  }

  /** Quiet means nothing until the next call. */
  ignoreQuiet(): void {
    this.#stopTimer();
  }

  /** Ends the reply at its calls; the next begins. */
  pause(): void {
    this.#stopTimer();
    this.#queue.batch.push({ type: "usage", usage: this.meter.atPause() }, { type: "finish", reason: "tool-calls" });
    this.#queue.end();
    this.#queue = new EventQueue(this.#deps.onTaken);
    this.isRead = false;
    this.isEmpty = true;
    this.#callsBegun = this.callsTold = 0;
    this.#deps.onPause();
  }

  /** The state is where the next turn can go on, if this one leaves one. */
  finish(reason: FinishReason, state?: Uint8Array): void {
    const { batch } = this.#queue;
    if (state !== undefined) batch.push({ type: "checkpoint", state, phase: "settled" });
    batch.push({ type: "usage", ...this.meter.soFar() }, { type: "finish", reason });
    this.#end();
  }

  fail(error: GatewayError): void {
    this.#end(error);
  }

  #end(error?: GatewayError): void {
    this.#isEnded = true;
    this.#stopTimer();
    this.#queue.end(error);
  }

  #count(characters: number): void {
    this.#heldCharacters = this.heldCharacters + characters;
    this.meter.said(characters);
  }
}
