import { readPlan, recentPlan } from "@curlew/gateway/backends/cursor/plan.js";
import { commandCalls } from "@curlew/gateway/backends/cursor/signed-calls.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";
import { listen } from "@curlew/gateway/turn/events/channels.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import type { KeyRing } from "@curlew/meter/keys/index.js";
import type { LedgerReader } from "@curlew/meter/ledger/index.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import type { UsageSource } from "@curlew/meter/routes/index.js";
import { type EarlierSpend, type Limits, readLimits, SpendGuard, watchLimits } from "@curlew/meter/spend/index.js";
import { reportUsageInSlices } from "@curlew/meter/usage/index.js";
import type { Settings } from "../config/settings.js";
import type { Log } from "../log/log.js";
import { limitsFile } from "./prepare/own-files.js";
import { StartError } from "./prepare/start-error.js";

interface UsageSourceDeps extends Pick<GuardParts, "calls" | "clock"> {
  readonly ledger: LedgerReader;
  readonly settings: Pick<Settings, "prices" | "conduct">;
}

/** Cache time, because a page open in several windows repeats its queries. */
const KEPT_MS = 1_000;
const MAX_KEPT = 8;
const NOT_ASKED =
  "Plan usage is unavailable under careful conduct, which makes no calls of its own to Cursor. See Cursor's dashboard.";

export function usageSource({ ledger, settings, calls, clock }: UsageSourceDeps): UsageSource {
  const plan = recentPlan(() => readPlan(commandCalls(calls)), clock);
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
    plan: async () => (settings.conduct === "careful" ? { plan: null, problem: NOT_ASKED } : plan()),
  };
}

interface GuardParts {
  readonly gatewayId: string;
  readonly settings: Pick<Settings, "home" | "prices" | "conduct">;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly keys: Pick<KeyRing, "limitsOf">;
  /** Spend booked before this start, if it is kept. */
  readonly earlier: EarlierSpend | undefined;
  readonly calls: Parameters<typeof commandCalls>[0];
}

/** The gateway's spend guard, with its warnings logged. Refusals are in the log line of their request. */
export function openGuard({ gatewayId, settings, clock, log, limits, keys, earlier, calls }: GuardParts) {
  const onProblem = (problem: unknown) => log.warn({ err: problem }, "limits");
  const guard = new SpendGuard({
    gateway: gatewayId,
    clock,
    limits: watchLimits({ path: limitsFile(settings), first: limits, elapsed: () => clock.elapsed(), onProblem }),
    limitsOf: (caller) => keys.limitsOf(caller),
    costOf: createPrices(settings.prices).costOf,
    earlier,
    // Careful conduct makes no calls of its own to Cursor.
    readPlan: settings.conduct === "careful" ? undefined : () => readPlan(commandCalls(calls)),
    onProblem,
  });
  const stopLogging = listen(
    gatewayId,
    {
      "curlew:limit:reached": ({ action, requestId, limit, message }) => {
        if (action !== "refused") log.warn({ requestId, action, limit, warning: message }, "limit");
      },
    },
    onProblem,
  );
  return {
    guard,
    close() {
      stopLogging();
      guard.close();
    },
  };
}

/** The owner's limits at startup: with a broken file, there are no earlier ones to keep. @throws StartError `limits_unusable` */
export function firstLimits(settings: Pick<Settings, "home">): Limits {
  try {
    return readLimits(limitsFile(settings));
  } catch (thrown) {
    const text = `The limits are unusable, and without them nothing would stop a client. ${reasonOf(thrown)} Fix the file, or delete it to run without limits, then start again.`;
    throw new StartError("limits_unusable", text, { cause: thrown });
  }
}
