import type { StartContext } from "./backend.js";

/** A request of which we guess that it fills so much of the model's window may well be too long for it. */
const NEAR_WINDOW = 0.75;

export function isNearWindow({ estimatedTokens, model }: Pick<StartContext, "estimatedTokens" | "model">): boolean {
  return estimatedTokens >= (model.contextTokens ?? Number.POSITIVE_INFINITY) * NEAR_WINDOW;
}
