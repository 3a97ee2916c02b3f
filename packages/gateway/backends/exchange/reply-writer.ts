import type { Clock } from "../../system/clock.js";
import type { GatewayError } from "../../turn/error.js";
import type { CheckpointEvent, FinishReason, TurnEvent, TurnEvents } from "../../turn/event.js";
import { EventQueue } from "../../turn/event-queue.js";
import type { ClientCall } from "../backend.js";
import { UsageMeter } from "./usage-meter.js";

export interface ReplyWriterDeps {
  readonly clock: Clock;
  /** A parallel group is complete when no further call comes for this long. */
  readonly quietMs: number;
  readonly estimatedTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly onTaken: () => void;
  /** Called when a reply has ended at its calls and the next one begins. */
  readonly onPause: () => void;
}

/** Writes the events of a turn into its replies: a pause for the client's calls ends one and begins the next. */
export class ReplyWriter {
  readonly meter: UsageMeter;
  /** Whether the current reply has a reader. It fills up even without one, because the next reader will get it. */
  isRead = false;
  isEmpty = true;
  hasSpoken = false;
  /** The calls of the current reply that were sent to the client in full. */
  callsSent = 0;
  readonly #deps: ReplyWriterDeps;
  #queue: EventQueue;
  #isEnded = false;
  #callsBegun = 0;
  #heldCharacters = 0;
  #stopTimer: () => void = () => {};
  #onUnread: ((checkpoint: CheckpointEvent) => void) | undefined;

  constructor(deps: ReplyWriterDeps) {
    this.#deps = deps;
    this.meter = new UsageMeter(deps.estimatedTokens, deps.cachedTokens);
    this.#queue = new EventQueue(deps.onTaken);
  }

  get batch(): readonly TurnEvent[] {
    return this.#queue.batch;
  }

  get heldCharacters(): number {
    return this.#queue.batch.length === 0 ? 0 : this.#heldCharacters;
  }

  /** Whether the current reply consists of complete calls and has a reader. */
  get canPause(): boolean {
    return this.callsSent > 0 && this.callsSent === this.#callsBegun && this.isRead && !this.#isEnded;
  }

  read(): TurnEvents {
    this.isRead = true;
    this.#onUnread = undefined;
    if (this.callsSent > 0) this.awaitQuiet(); // calls that came without a reader
    return this.#queue;
  }

  /** Calls back with unread checkpoints, the newest at once, until the model writes more. */
  onUnreadCheckpoint(callback: (checkpoint: CheckpointEvent) => void): void {
    if (this.isRead) return;
    this.#onUnread = callback;
    let newest: CheckpointEvent | undefined;
    for (const event of this.batch) {
      if (event.type !== "checkpoint") break;
      newest = event;
    }
    if (newest !== undefined) callback(newest);
  }

  say(type: "text" | "thinking", delta: string): void {
    this.#count(delta.length);
    this.hasSpoken = true;
    this.isEmpty = false;
    const { batch } = this.#queue;
    const last = batch[batch.length - 1];
    if (last !== undefined && last.type === type) last.delta += delta;
    else batch.push({ type, delta });
  }

  /** Writes one event of any kind but those that end a reply. */
  write(event: TurnEvent): void {
    if (event.type === "text" || event.type === "thinking") {
      this.say(event.type, event.delta);
      return;
    }
    this.#count(event.type === "call-input" ? event.delta.length : event.type === "call" ? event.name.length : 0);
    if (event.type !== "checkpoint") {
      this.hasSpoken = true;
      this.isEmpty = false;
    } else if (this.isEmpty) {
      this.#onUnread?.(event);
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
    this.callsSent++;
    this.write({ type: "call-end", id });
  }

  /** Writes a complete call. Others of its group may follow. */
  call({ id, name, input }: ClientCall): void {
    this.beginCall(id, name);
    this.writeInput(id, input);
    this.endCall(id);
    this.awaitQuiet();
  }

  /** Hands the written events to a waiting reader. Returns false when they are held instead. */
  commit(): boolean {
    return this.#queue.commit();
  }

  /** Starts the quiet period from now: the usual one, or that of a call that is certain to come. */
  awaitQuiet(forMs = this.#deps.quietMs): void {
    this.#stopTimer();
    this.#stopTimer = this.#deps.clock.after(forMs, () => {
      if (this.canPause) this.pause();
    });
  }

  ignoreQuiet(): void {
    this.#stopTimer();
  }

  pause(): void {
    this.#stopTimer();
    this.#queue.batch.push({ type: "usage", usage: this.meter.atPause() }, { type: "finish", reason: "tool-calls" });
    this.#queue.end();
    this.#queue = new EventQueue(this.#deps.onTaken);
    this.isRead = false;
    this.isEmpty = true;
    this.#callsBegun = this.callsSent = 0;
    this.#deps.onPause();
  }

  /** Ends the turn. `state` is where the next turn can resume, if any. */
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
