import type { Batch, Step, TurnEvent } from "../turn/event.js";
import { rewriteBatch, toCall, toText } from "../turn/rewrite-batch.js";
import type { ToolDefinition } from "../turn/turn.js";
import { isSpace, type Reading } from "./reading.js";
import { findOpening, longestOpening, type WrittenCall, writtenForms } from "./written-forms.js";

/** What is held beyond this is text, whatever follows. */
const MAX_HELD_CHARACTERS = 64 * 1024;

/**
 * Makes calls of what a model wrote as text instead of calling, at the very end of a reply: one form or a run of them, each
 * with the exact name of an offered tool and a JSON object. What has text behind it was quoted and stays as it is.
 */
export class WrittenCalls implements Step {
  readonly #tools: readonly ToolDefinition[];
  readonly #newCallId: () => string;
  /** Once the model has really called, what it writes is talk about that. */
  #isDone: boolean;
  /** From the opening of the first form on. */
  #held = "";
  /** The calls of the complete forms in what is held. */
  #calls: WrittenCall[] = [];
  /** The beginning of an opening, or all of one while its form is being read. */
  #opening = "";
  #reading: Reading<readonly WrittenCall[]> | undefined;
  /** The character before the next one: a fence stands only at the beginning of a line. */
  #previous = "\n";

  constructor(tools: readonly ToolDefinition[], newCallId: () => string) {
    this.#tools = tools;
    this.#newCallId = newCallId;
    this.#isDone = tools.length === 0;
  }

  push(batch: Batch): Batch {
    return this.#isDone ? batch : rewriteBatch(batch, this.#rewritten);
  }

  end(): Batch {
    const held = this.#held;
    this.#reset();
    return toText(held);
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    if (this.#isDone) return "keep";
    switch (event.type) {
      case "text":
        return this.#text(event.delta);
      case "usage":
      case "checkpoint":
        return "keep";
      case "finish":
        // The end of a reply that was cut short is not its end.
        if (this.#isComplete() && event.reason === "stop" && event.stopSequence === undefined) {
          const calls = this.#calls.flatMap((call) => toCall({ ...call, id: this.#newCallId() }));
          this.#reset();
          return [...calls, { type: "finish", reason: "tool-calls" }];
        }
        return this.#afterHeld(event);
      case "call":
        if (event.runs === "client") this.#isDone = true;
        return this.#afterHeld(event);
      case "thinking":
      case "call-input":
      case "call-end":
      case "call-result":
        return this.#afterHeld(event);
    }
  };

  #afterHeld(event: TurnEvent): Batch | "keep" {
    this.#previous = "\n";
    return this.#held === "" ? "keep" : [...this.end(), event];
  }

  #isComplete(): boolean {
    return this.#calls.length > 0 && this.#opening === "";
  }

  #text(delta: string): Batch | "keep" {
    let passed = "";
    let at = 0;
    while (at < delta.length) {
      const next = this.#held === "" ? findOpening(delta, at) : at;
      if (next === at) {
        passed += this.#take(delta.charAt(at++));
        continue;
      }
      const end = next === -1 ? delta.length : next;
      this.#previous = delta.charAt(end - 1);
      if (end - at === delta.length) return "keep";
      passed += delta.slice(at, end);
      at = end;
    }
    return passed === delta ? "keep" : toText(passed);
  }

  /** Takes a character that belongs to a form, or did so far, and gives back what turns out to be text. */
  #take(character: string): string {
    const isLineStart = this.#previous === "\n";
    this.#previous = character;
    this.#held += character;
    if (this.#held.length > MAX_HELD_CHARACTERS) return this.#release();
    if (this.#reading !== undefined) return this.#readOn(this.#reading, character);
    if (this.#opening === "") {
      if (isSpace(character)) return "";
      if (character === "`" && !isLineStart) return this.#release();
    }
    this.#opening += character;
    const form = writtenForms.find(({ opening }) => opening.startsWith(this.#opening));
    if (form === undefined) return this.#release();
    if (form.opening === this.#opening) {
      this.#reading = form.read(this.#tools);
      this.#reading.next("");
    }
    return "";
  }

  #readOn(reading: Reading<readonly WrittenCall[]>, character: string): string {
    const { done, value } = reading.next(character);
    if (done !== true) return "";
    if (value === undefined) return this.#release();
    this.#calls.push(...value);
    this.#opening = "";
    this.#reading = undefined;
    return "";
  }

  /** All that is held, but for an end that may open another form. */
  #release(): string {
    const held = this.#held;
    this.#reset();
    const found = findOpening(held, Math.max(1, held.length - longestOpening));
    const end = found === -1 ? held.length : found;
    this.#previous = held.charAt(end - 1);
    let passed = held.slice(0, end);
    for (let at = end; at < held.length; at++) passed += this.#take(held.charAt(at));
    return passed;
  }

  #reset(): void {
    this.#held = "";
    this.#calls = [];
    this.#opening = "";
    this.#reading = undefined;
  }
}
