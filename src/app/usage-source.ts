import { commandCalls } from "../backends/cursor/signed-calls.js";
import type { Clock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import type { UsageSource } from "../fronts/usage/index.js";
import type { LedgerReader } from "../ledger/index.js";
import { RecentPlan, readPlan } from "../plan/index.js";
import { createPrices } from "../prices/index.js";
import { BoundedMap } from "../turn/bounded-map.js";
import { reportUsageInSlices } from "../usage/index.js";

interface UsageSourceDeps {
  readonly ledger: LedgerReader;
  readonly settings: Pick<Settings, "prices" | "conduct">;
  readonly calls: Parameters<typeof commandCalls>[0];
  readonly clock: Clock;
}

/** A page that is open in several windows asks as often as it likes. */
const KEPT_MS = 1_000;
const MAX_KEPT = 8;
const NOT_ASKED =
  "Under careful conduct the gateway asks Cursor nothing by itself, so it does not know the plan. Cursor's dashboard shows it.";

export function usageSource({ ledger, settings, calls, clock }: UsageSourceDeps): UsageSource {
  const plan = new RecentPlan({ clock, ask: () => readPlan(commandCalls(calls)) });
  const prices = createPrices(settings.prices);
  const report: UsageSource["report"] = async (question) => {
    await ledger.ready();
    return reportUsageInSlices(ledger, { ...question, prices, nowMs: clock.now() });
  };
  const kept = new BoundedMap<string, { readonly atMs: number; readonly report: ReturnType<typeof report> }>(MAX_KEPT);
  return {
    report(question) {
      const name = JSON.stringify(question);
      const atMs = clock.elapsed();
      const known = kept.get(name);
      if (known !== undefined && atMs - known.atMs < KEPT_MS) return known.report;
      const made = report(question);
      made.catch(() => kept.delete(name));
      kept.set(name, { atMs, report: made });
      return made;
    },
    plan: async () => (settings.conduct === "careful" ? { plan: null, problem: NOT_ASKED } : plan.read()),
  };
}
