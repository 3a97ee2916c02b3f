import type { CallBlock } from "./blocks.js";
import type { Batch, TurnEvent } from "./event.js";

/** A batch with this text; an empty batch for empty text. */
export function toText(delta: string, type: "text" | "thinking" = "text"): Batch {
  return delta === "" ? [] : [{ type, delta }];
}

/** The events of a whole call for the client. */
export function toCall({ id, name, input }: Pick<CallBlock, "id" | "name" | "input">): Batch {
  return [
    { type: "call", id, name, runs: "client" },
    { type: "call-input", id, delta: input },
    { type: "call-end", id },
  ];
}

/** The batch with some events replaced. Returns the same array when `replace` keeps every event. */
export function rewriteBatch(batch: Batch, replace: (event: TurnEvent) => Batch | "keep"): Batch {
  let rewritten: TurnEvent[] | undefined;
  let index = 0;
  for (const event of batch) {
    const replacement = replace(event);
    if (replacement !== "keep") {
      rewritten ??= batch.slice(0, index);
      rewritten.push(...replacement);
    } else if (rewritten !== undefined) {
      rewritten.push(event);
    }
    index++;
  }
  return rewritten ?? batch;
}
