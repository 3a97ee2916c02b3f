import { type Batch, rewriteBatch, type TurnEvent, toText } from "../../turn/event.js";
import type { AnswerCheck } from "./answer-formats.js";

/** Bounds the buffer; more than any model writes. */
const MAX_HELD_CHARACTERS = 8 * 1024 * 1024;

/** Buffers a reply's text, then emits only the JSON that fits the format. A reply with calls is not the answer yet and passes. */
export class FormatKeeper {
  /** Why the finished answer does not fit. Its text is withheld then. */
  fault: string | undefined;
  readonly #check: AnswerCheck;
  #held = "";
  #isOpen = false;

  constructor(check: AnswerCheck) {
    this.#check = check;
  }

  push(batch: Batch): Batch {
    return this.#isOpen ? batch : rewriteBatch(batch, this.#rewritten);
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    if (this.#isOpen) return "keep";
    switch (event.type) {
      case "text":
        if (this.#held.length <= MAX_HELD_CHARACTERS) this.#held += event.delta;
        return [];
      case "call":
        return event.runs === "client" ? this.#openBefore(event) : "keep";
      case "finish":
        return event.reason === "stop" ? this.#judgeBefore(event) : this.#openBefore(event);
      case "thinking":
      case "call-input":
      case "call-end":
      case "call-result":
      case "usage":
      case "checkpoint":
        return "keep";
    }
  };

  #openBefore(event: TurnEvent): Batch {
    this.#isOpen = true;
    return [...toText(this.#held), event];
  }

  #judgeBefore(finish: TurnEvent): Batch | "keep" {
    const judgement =
      this.#held.length > MAX_HELD_CHARACTERS ? { fault: "it is too long" } : this.#check.judge(this.#held);
    if ("json" in judgement) return [...toText(judgement.json), finish];
    this.fault = judgement.fault;
    return "keep";
  }
}
