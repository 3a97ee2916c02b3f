import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { GetCurrentPeriodUsageResponseSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { SimulatorOptions } from "../server/options.js";

type PeriodUsage = MessageInitShape<typeof GetCurrentPeriodUsageResponseSchema>;

const CYCLE_START_MS = 1_793_491_200_000n;
const CYCLE_END_MS = 1_796_083_200_000n;
/** Cursor's value for no limit. */
export const UNLIMITED = 2_147_483_647;

const full = {
  billingCycleStart: CYCLE_START_MS,
  billingCycleEnd: CYCLE_END_MS,
  planUsage: {
    totalSpend: 1_240,
    includedSpend: 1_240,
    remaining: 760,
    limit: 2_000,
    autoPercentUsed: 18.5,
    apiPercentUsed: 43.5,
    totalPercentUsed: 31,
  },
  spendLimitUsage: { limitType: "user" },
  displayThreshold: 200,
  enabled: true,
  displayMessage: "31% of the included usage is used",
} satisfies PeriodUsage;

/** The usage of this period, in the shape that the option names. "strings" differs from "full" only in JSON. */
export function periodUsage(shape: SimulatorOptions["usage"]): PeriodUsage {
  switch (shape) {
    case "full":
    case "strings":
      return full;
    case "free":
      return { ...full, planUsage: { totalSpend: 120, includedSpend: 120, totalPercentUsed: 60 }, spendLimitUsage: {} };
    case "other-used-up":
      return { ...full, planUsage: { ...full.planUsage, apiPercentUsed: 100 }, autoBucketModels: ["composer-2.5"] };
    case "unavailable":
      throw new ConnectError("Error", Code.Unavailable);
    case "no-plan": {
      const { planUsage, ...rest } = full;
      return rest;
    }
    case "unlimited":
      return { ...full, spendLimitUsage: { limitType: "user", individualLimit: UNLIMITED, individualUsed: 0 } };
    case "on-demand":
      return {
        ...full,
        spendLimitUsage: { limitType: "user", totalSpend: 350, individualLimit: 5_000, individualUsed: 350 },
      };
  }
}

/** The JSON that some accounts get: every number is text. */
export function usageInStrings(): string {
  const usage = create(GetCurrentPeriodUsageResponseSchema, full);
  return JSON.stringify(numbersAsText(toJson(GetCurrentPeriodUsageResponseSchema, usage)));
}

function numbersAsText(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(numbersAsText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, numbersAsText(inner)]));
}

export const planInfo = {
  planInfo: {
    planName: "Pro",
    includedAmountCents: 2_000,
    price: "$20/mo",
    billingCycleEnd: CYCLE_END_MS,
  },
};
