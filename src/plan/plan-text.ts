import type { CursorPlan } from "./cursor-plan.js";

/** `$4.10 of $20.00`; null if Cursor does not say. */
export function spentText({ spentCents, includedCents }: CursorPlan): string | null {
  if (spentCents === null) return null;
  return includedCents === null ? dollars(spentCents) : `${dollars(spentCents)} of ${dollars(includedCents)}`;
}

/** `$1.20 of $50.00`; null if nothing can be used on demand. */
export function onDemandText({ onDemand }: CursorPlan): string | null {
  if (onDemand === null) return null;
  const { usedCents, limitCents } = onDemand;
  const limit =
    limitCents === null ? "" : limitCents === "unlimited" ? ", without a limit" : ` of ${dollars(limitCents)}`;
  return `${dollars(usedCents)}${limit}`;
}

export function percentText(percent: number): string {
  return `${Number(percent.toFixed(1))}%`;
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
