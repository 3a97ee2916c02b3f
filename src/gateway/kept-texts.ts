import type { RequestRecord } from "../events/index.js";
import { joinText } from "../turn/blocks.js";
import type { Batch } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";

/** Enough to recognise a turn. */
const MAX_CHARACTERS = 4_000;

/** Keeps the words of the user and of the answer for the journal, if the owner wants that. */
export class KeptTexts {
  readonly #texts: NonNullable<RequestRecord["texts"]>;

  constructor(record: RequestRecord, { messages }: Pick<Turn, "messages">) {
    const newest = messages.findLast(({ role }) => role === "user");
    const asked = newest?.role === "user" ? joinText(newest.content).slice(0, MAX_CHARACTERS) : "";
    this.#texts = { asked, answered: "" };
    record.texts = this.#texts;
  }

  push(batch: Batch): void {
    for (const event of batch) {
      const room = MAX_CHARACTERS - this.#texts.answered.length;
      if (event.type === "text" && room > 0) this.#texts.answered += event.delta.slice(0, room);
    }
  }
}
