import type { SimulatorOptions } from "../server/options.js";
import { UNLIMITED } from "./usage.js";

/** Calls that `packages/wire/proto/` does not describe: only their JSON is known for certain. Undefined for any other path. */
export function jsonOnlyAnswer(path: string, { usage }: SimulatorOptions): unknown {
  switch (path) {
    case "/aiserver.v1.DashboardService/GetHardLimit": // in dollars
      if (usage === "unlimited") return { hardLimit: UNLIMITED };
      return usage === "on-demand" ? { hardLimit: 50 } : { noUsageBasedAllowed: true };
    case "/aiserver.v1.DashboardService/GetCreditGrantsBalance":
      return { hasCreditGrants: true, creditBalanceCents: 500, totalCents: 1_000, usedCents: 500 };
    case "/aiserver.v1.DashboardService/GetUsageLimitPolicyStatus":
      return { limitType: "user" };
    case "/aiserver.v1.DashboardService/GetAggregatedUsageEvents":
      return aggregatedEvents;
    case "/aiserver.v1.DashboardService/GetFilteredUsageEvents":
      return filteredEvents;
    case "/aiserver.v1.AuthService/GetEmail":
      return { email: "owner@simulated.example", signUpType: "SIGN_UP_TYPE_AUTH_0" };
    default:
      return undefined;
  }
}

const aggregatedEvents = {
  aggregations: [
    {
      modelIntent: "default",
      inputTokens: "48000",
      outputTokens: "3100",
      cacheWriteTokens: "900",
      cacheReadTokens: "41000",
      totalCents: 12.5,
    },
  ],
  totalInputTokens: "48000",
  totalOutputTokens: "3100",
  totalCacheWriteTokens: "900",
  totalCacheReadTokens: "41000",
  totalCostCents: 12.5,
};

const filteredEvents = {
  totalUsageEventsCount: 1,
  usageEventsDisplay: [
    {
      timestamp: "1793600000000",
      model: "default",
      kind: "USAGE_EVENT_KIND_INCLUDED_IN_PRO",
      tokenUsage: { inputTokens: 480, outputTokens: 31, cacheWriteTokens: 9, cacheReadTokens: 410, totalCents: 0.4 },
    },
  ],
};
