import { type Batch, rewriteBatch, type Step, type TurnEvent, toCall, toText } from "../../turn/event.js";
import type { ToolDefinition } from "../../turn/turn.js";
import { findOpening, isSpace, longestOpening, type Reading, type WrittenCall, writtenForms } from "./written-forms.js";

/** Beyond this the held text is released as text, whatever follows. */
const MAX_HELD_CHARACTERS = 64 * 1024;

/** Turns calls written as text at the very end of a reply into real calls. A form that is followed by text was quoted, and stays text. */
export class WrittenCalls implements Step {
  readonly #tools: readonly ToolDefinition[];
  readonly #newCallId: () => string;
  /** Set once the model has made a real call: from then on, written forms only talk about calls. */
  #isDone: boolean;
  /** The text from the opening of the first form on. */
  #held = "";
  #calls: WrittenCall[] = [];
  /** The start of an opening, or a whole opening while its form is being read. */
  #opening = "";
  #reading: Reading<readonly WrittenCall[]> | undefined;
  /** The previous character. A fence can open only at the beginning of a line. */
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
        // A reply that was cut short has not really ended.
        if (this.#calls.length > 0 && this.#opening === "" && event.reason === "stop" && !event.stopSequence) {
          const calls = this.#calls.flatMap((call) => toCall({ ...call, id: this.#newCallId() }));
          this.#reset();
          return [...calls, { type: "finish", reason: "tool-calls" }];
        }
        return this.#afterHeld(event);
      case "call":
        if (event.runs === "client") this.#isDone = true;
        return this.#afterHeld(event);
      default:
        return this.#afterHeld(event);
    }
  };

  #afterHeld(event: TurnEvent): Batch | "keep" {
    this.#previous = "\n";
    return this.#held === "" ? "keep" : [...this.end(), event];
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

  /** Takes a character that may belong to a form. Returns the part that turns out to be text. */
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

  /** Releases the held text, except an end that may open another form. */
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
