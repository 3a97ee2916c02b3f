import type { PlanAnswer } from "../../plan/index.js";
import { GatewayError } from "../../turn/error.js";
import {
  groupings,
  isGrouping,
  maxDaysOf,
  type UsageQuestion,
  type UsageReport,
  usualDaysOf,
  writeReport,
} from "../../usage/index.js";
import type { EndpointRequest, RouteGroup } from "../dialect.js";
import { anthropicError, openAiError } from "../openapi/index.js";
import { readUsage } from "./openapi.js";

/** Where the answers come from: the ledger, and Cursor. */
export interface UsageSource {
  report(question: UsageQuestion): Promise<UsageReport>;
  /** Never takes longer than a client likes to wait. */
  plan(): Promise<PlanAnswer>;
}

interface UsageDeps {
  readonly usage: UsageSource;
  readonly findOwner: (incoming: EndpointRequest["incoming"]) => object | undefined;
  readonly callerOf: (incoming: EndpointRequest["incoming"]) => { readonly name: string | undefined };
}

const OWNERS_PLAN = { plan: null, problem: "The plan is shown to the gateway's owner alone." };

/** `GET /v1/usage`: what went through the gateway, and what is used of the plan. The holder of a named key sees its own part. */
export function usageRoutes({ usage, findOwner, callerOf }: UsageDeps): RouteGroup {
  return {
    fronts: [],
    endpoints: [
      {
        method: "GET",
        path: "/v1/usage",
        description: readUsage,
        async answer({ query, incoming }) {
          const question = parseQuestion(query);
          const owner = findOwner(incoming);
          const client = owner === undefined ? callerOf(incoming).name : undefined;
          if (owner === undefined && client === undefined) throw ownerOnly();
          const read = usage.report({ ...question, client });
          const [report, plan] = await Promise.all([read, owner ? usage.plan() : OWNERS_PLAN]);
          return { body: writeUsage(report, plan) };
        },
      },
    ],
    errorShapes: [openAiError, anthropicError],
  };
}

export function ownerOnly(): GatewayError {
  return new GatewayError(
    "owner_only",
    "This adds up what all clients of the gateway do, so it is for its owner alone: send the value of CURLEW_KEY, and no account of your own.",
  );
}

/** @throws {GatewayError} `invalid_request`, if the query is wrong. */
export function parseQuestion(query: (name: string) => string | undefined): UsageQuestion {
  const by = query("by") ?? "day";
  if (!isGrouping(by)) throw invalid("by", `must be one of ${groupings.join(", ")}.`);
  const days = query("days") ?? String(usualDaysOf(by));
  const max = maxDaysOf(by);
  if (!/^\d{1,4}$/.test(days) || Number(days) < 1 || Number(days) > max) {
    throw invalid("days", `must be a whole number from 1 to ${max}${by === "hour" ? " with by=hour" : ""}.`);
  }
  return { by, days: Number(days) };
}

function invalid(param: string, must: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${must}`, { param });
}

/** The answer, in the form that the description of the route promises. */
function writeUsage(report: UsageReport, { plan, problem }: PlanAnswer) {
  return {
    object: "curlew.usage" as const,
    ...writeReport(report),
    plan: plan === null ? null : writePlan(plan),
    plan_problem: problem,
  };
}

export function writePlan(plan: NonNullable<PlanAnswer["plan"]>) {
  return {
    plan: plan.plan,
    price: plan.price,
    period_start: plan.periodStart,
    resets: plan.resets,
    percent_used: plan.percentUsed,
    auto_percent_used: plan.autoPercentUsed,
    api_percent_used: plan.apiPercentUsed,
    spent_cents: plan.spentCents,
    included_cents: plan.includedCents,
    on_demand:
      plan.onDemand === null ? null : { used_cents: plan.onDemand.usedCents, limit_cents: plan.onDemand.limitCents },
  };
}
