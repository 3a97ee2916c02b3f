import { type Batch, rewriteBatch, type TurnEvent, toText } from "../turn/event.js";
import type { AnswerCheck } from "./answer-formats.js";

/** More than any model writes. The held text must be bounded. */
const MAX_HELD_CHARACTERS = 8 * 1024 * 1024;

/** Holds the text of a reply until it fits the format, then gives out the JSON alone. A reply with calls is no answer yet. */
export class FormatKeeper {
  /** What is wrong with the answer, once it has ended. Its text is withheld then. */
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
