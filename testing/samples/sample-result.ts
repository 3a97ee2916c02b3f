import type { TurnResult } from "../../src/turn/collect.js";

/** A whole reply that says this and no more. */
export function sampleResult(text: string, changes: Partial<TurnResult> = {}): TurnResult {
  const said = { blocks: [{ type: "text" as const, text }], text, thinking: "", calls: [] };
  return { ...said, usage: undefined, finish: "stop", stopSequence: undefined, ...changes };
}
