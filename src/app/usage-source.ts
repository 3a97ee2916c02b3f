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

const NOT_ASKED =
  "Under careful conduct the gateway asks Cursor nothing by itself, so it does not know the plan. Cursor's dashboard shows it.";

/** What the gateway answers about usage. Few clients ask, so what adds it up is loaded for the first who does. */
export function usageSource({ ledger, settings, calls, clock }: UsageSourceDeps): UsageSource {
  const plan = new RecentPlan({ clock, ask: () => readPlan(commandCalls(calls)) });
  const load = async () => {
    const [{ reportUsage }, { createPrices }] = await Promise.all([
      import("../usage/index.js"),
      import("../prices/index.js"),
    ]);
    return { reportUsage, prices: createPrices(settings.prices) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return {
    async report({ by, days }) {
      loaded ??= load();
      const { reportUsage, prices } = await loaded;
      await ledger.ready();
      return reportUsage(ledger, { by, days, prices, nowMs: clock.now() });
    },
    plan: async () => (settings.conduct === "careful" ? { plan: null, problem: NOT_ASKED } : plan.read()),
  };
}
