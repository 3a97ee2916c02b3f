import type { ComposedGateway } from "../../../app/compose.js";
import { commandCalls } from "../../../backends/cursor/signed-calls.js";
import { type CursorPlan, onDemandText, percentText, readPlan, spentText } from "../../../plan/index.js";

/** What the account has used of its plan; null if Cursor does not say, or if no account is asked. */
export function readSpend({ tokens, upstream, network }: ComposedGateway): Promise<CursorPlan | null> {
  return readPlan(commandCalls({ tokens, network, ...upstream })).catch(() => null);
}

/** `12.5% of the plan, Cursor Models 10%, Other Models 15%, $4.10 of $20.00, on demand $0.00` */
export function describeSpend(plan: CursorPlan | null): string {
  if (plan === null) return "not reported by Cursor";
  const { percentUsed, autoPercentUsed, apiPercentUsed } = plan;
  const paid = onDemandText(plan);
  const parts = [
    percentUsed === null ? null : `${percentText(percentUsed)} of the plan`,
    autoPercentUsed === null ? null : `Cursor Models ${percentText(autoPercentUsed)}`,
    apiPercentUsed === null ? null : `Other Models ${percentText(apiPercentUsed)}`,
    spentText(plan),
    paid === null ? null : `on demand ${paid}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "not reported by Cursor" : parts.join(", ");
}
