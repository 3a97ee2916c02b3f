import { commandCalls } from "../backends/cursor/signed-calls.js";
import type { Clock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import type { UsageSource } from "../fronts/usage/index.js";
import type { LedgerReader } from "../ledger/index.js";
import { RecentPlan, readPlan } from "../plan/index.js";

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

/** What the gateway answers about usage. Few clients ask, so what adds it up is loaded for the first who does. */
export function usageSource({ ledger, settings, calls, clock }: UsageSourceDeps): UsageSource {
  const plan = new RecentPlan({ clock, ask: () => readPlan(commandCalls(calls)) });
  const load = async () => {
    const [{ reportUsageInSlices }, { createPrices }] = await Promise.all([
      import("../usage/index.js"),
      import("../prices/index.js"),
    ]);
    return { reportUsageInSlices, prices: createPrices(settings.prices) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  const report: UsageSource["report"] = async ({ by, days }) => {
    loaded ??= load();
    const { reportUsageInSlices, prices } = await loaded;
    await ledger.ready();
    return reportUsageInSlices(ledger, { by, days, prices, nowMs: clock.now() });
  };
  const kept = new Map<string, { readonly atMs: number; readonly report: ReturnType<typeof report> }>();
  return {
    report(question) {
      const name = `${question.by} ${question.days}`;
      const atMs = clock.elapsed();
      const known = kept.get(name);
      if (known !== undefined && atMs - known.atMs < KEPT_MS) return known.report;
      if (kept.size >= MAX_KEPT) kept.clear();
      const made = report(question);
      made.catch(() => kept.delete(name));
      kept.set(name, { atMs, report: made });
      return made;
    },
    plan: async () => (settings.conduct === "careful" ? { plan: null, problem: NOT_ASKED } : plan.read()),
  };
}
