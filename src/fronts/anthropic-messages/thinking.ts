import type { MessagesRequest } from "./schema.js";

/** What clients ask for when they mean little, some and much thinking; above the last they mean all there is. */
const budgets: readonly (readonly [below: number, effort: string])[] = [
  [4_096, "low"],
  [16_000, "medium"],
  [32_000, "high"],
];

/** How hard the model should think: in a word where the client has one, else by the tokens that it grants. */
export function toEffort({ output_config, thinking }: MessagesRequest): { effort?: string } {
  if (output_config?.effort) return { effort: output_config.effort };
  if (thinking?.type === "disabled") return { effort: "none" };
  const tokens = thinking?.budget_tokens;
  if (typeof tokens !== "number") return {};
  return { effort: budgets.find(([below]) => tokens < below)?.[1] ?? "max" };
}

/** Whether the client sees what the model thinks: all of it, only that it did, or nothing. */
export type ThinkingDisplay = "shown" | "omitted" | "none";

export function toDisplay({ thinking }: MessagesRequest): ThinkingDisplay {
  // Who did not ask for thinking takes the first block for the answer.
  if (!thinking || thinking.type === "disabled") return "none";
  return thinking.display === "omitted" ? "omitted" : "shown";
}
