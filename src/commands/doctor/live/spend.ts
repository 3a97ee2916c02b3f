import type { ComposedGateway } from "../../../app/compose.js";
import { commandCalls } from "../../../backends/cursor/signed-calls.js";
import type { CursorPlan } from "../../usage/cursor-plan.js";
import { percentText, spentText } from "../../usage/describe.js";
import { readPlan } from "../../usage/read-plan.js";

/** What the account has used of its plan; null if Cursor does not say, or if no account is asked. */
export async function readSpend({
  tokens,
  upstream,
  network,
}: Pick<ComposedGateway, "tokens" | "upstream" | "network">): Promise<CursorPlan | null> {
  return readPlan(commandCalls({ tokens, network, ...upstream })).catch(() => null);
}

/** `12.5% of the plan, $4.10 of $20.00, on demand $0.00` */
export function describeSpend(plan: CursorPlan | null): string {
  if (plan === null) return "not reported by Cursor";
  const share = plan.percentUsed === null ? [] : [`${percentText(plan.percentUsed)} of the plan`];
  const pools = [
    ...(plan.autoPercentUsed === null ? [] : [`Cursor Models ${percentText(plan.autoPercentUsed)}`]),
    ...(plan.apiPercentUsed === null ? [] : [`Other Models ${percentText(plan.apiPercentUsed)}`]),
  ];
  const spent = spentText(plan);
  const parts = [...share, ...pools, ...(spent === null ? [] : [spent]), ...onDemand(plan)];
  return parts.length === 0 ? "not reported by Cursor" : parts.join(", ");
}

function onDemand({ onDemand: paid }: CursorPlan): string[] {
  return paid === null ? [] : [`on demand $${(paid.usedCents / 100).toFixed(2)}`];
}
