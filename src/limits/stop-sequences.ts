import type { Batch, Step, TurnEvent } from "../turn/event.js";
import { rewriteBatch, toText } from "../turn/rewrite-batch.js";
import { StopMatcher } from "./stop-matcher.js";

/**
 * Ends a reply before the first stop sequence in its text. Text that may begin a sequence is held back until that is decided.
 * Thinking and calls are not searched, and no sequence runs across them. While `isCallDue`, a sequence ends only the text,
 * because the call that the request requires has not come yet.
 */
export class StopSequences implements Step {
  readonly #matcher: StopMatcher;
  #held = "";
  #found: string | undefined;
  #isDone = false;
  /** Whether the reply goes on after the sequence, without text. */
  #isTextOver = false;
  readonly #isCallDue: () => boolean;

  constructor(sequences: readonly string[], isCallDue: () => boolean = () => false) {
    this.#isCallDue = isCallDue;
    this.#matcher = new StopMatcher(sequences);
  }

  /** Whether a sequence has come. Its batch is the last. */
  get hasEnded(): boolean {
    return this.#found !== undefined && !this.#isTextOver;
  }

  push(batch: Batch): Batch {
    if (this.#isDone && !this.#isTextOver) return batch;
    const passed = rewriteBatch(batch, this.#rewritten);
    if (this.#found === undefined || this.#isTextOver) return passed;
    return [...passed, { type: "finish", reason: "stop", stopSequence: this.#found }];
  }

  end(): Batch {
    if (this.#found !== undefined) return [];
    const origin = this.#matcher.read - this.#held.length;
    const match = this.#matcher.end();
    this.#find(match?.sequence);
    const passed = match === undefined ? this.#held : this.#held.slice(0, match.start - origin);
    this.#held = "";
    return toText(passed);
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    if (this.#isTextOver) return event.type === "text" ? [] : "keep";
    // If the turn ended in the rest of the batch, its usage is known, so it is kept.
    if (this.#found !== undefined) return event.type === "usage" ? "keep" : [];
    if (this.#isDone) return "keep";
    switch (event.type) {
      case "text":
        return this.#text(event.delta);
      case "usage":
      case "checkpoint":
        return "keep";
      case "call":
        // A reply with a call ends at its calls. Ending it elsewhere would leave them without a run.
        this.#isDone = event.runs === "client";
        return this.#afterHeld(event);
      case "thinking":
      case "call-input":
      case "call-end":
      case "call-result":
      case "finish":
        return this.#afterHeld(event);
    }
  };

  #text(delta: string): Batch | "keep" {
    const all = this.#held + delta;
    const origin = this.#matcher.read - this.#held.length;
    const match = this.#matcher.push(delta);
    this.#find(match?.sequence);
    const end = match === undefined ? all.length - this.#matcher.undecided : match.start - origin;
    const isUnchanged = this.#held === "" && end === delta.length;
    this.#held = all.slice(end);
    return isUnchanged ? "keep" : toText(all.slice(0, end));
  }

  #afterHeld(event: TurnEvent): Batch | "keep" {
    if (this.#held === "") return "keep";
    const held = this.end();
    return this.hasEnded ? held : [...held, event];
  }

  #find(sequence: string | undefined): void {
    this.#found = sequence;
    this.#isTextOver = sequence !== undefined && this.#isCallDue();
  }
}
