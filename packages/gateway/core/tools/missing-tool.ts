import type { Batch } from "../../turn/event.js";
import { hasWord } from "../../turn/has-word.js";
import type { ToolDefinition } from "../../turn/turn.js";

/** A model that misses a tool says so briefly. In longer answers, such a sentence is about something else. */
const MAX_CHARACTERS = 600;

const denials: readonly RegExp[] = [
  /(?:\bnot|n['’]t) (?:\w+ )?(?:available|offered|provided|found|recogni[sz]ed|registered|exist)\b/i,
  /(?:\bnot|n['’]t) (?:have|see|find|access)\b/i,
  /\b(?:unavailable|unknown tool|no such tool|no (?:tool|function) (?:named|called))\b/i,
];

/** Looks in one answer for a sentence that denies one of these tools. Using another tool does not count: the model may just prefer it. */
export class MissingToolWatch {
  readonly #names: readonly string[];
  #text = "";

  constructor(tools: readonly ToolDefinition[]) {
    this.#names = tools.map(({ name }) => name);
  }

  push(batch: Batch): void {
    for (const event of batch) {
      if (event.type === "text" && this.#text.length <= MAX_CHARACTERS) this.#text += event.delta;
    }
  }

  get hasHeard(): boolean {
    if (this.#text.length > MAX_CHARACTERS) return false;
    return this.#text
      .split(/(?<=[.!?])\s|\n/)
      .some(
        (sentence) =>
          denials.some((denial) => denial.test(sentence)) && this.#names.some((name) => hasWord(sentence, name)),
      );
  }
}
