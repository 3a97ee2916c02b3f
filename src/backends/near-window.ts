import type { StartContext } from "./backend.js";

/** A request that by our estimate fills this share of the model's window may be too long for it. */
const NEAR_WINDOW = 0.75;

export function isNearWindow({ estimatedTokens, model }: Pick<StartContext, "estimatedTokens" | "model">): boolean {
  return estimatedTokens >= (model.contextTokens ?? Number.POSITIVE_INFINITY) * NEAR_WINDOW;
}
