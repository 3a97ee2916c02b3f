import type { PlanAnswer } from "@curlew/gateway/backends/cursor/plan.js";
import type { EndpointRequest, RouteGroup } from "@curlew/gateway/fronts/dialect.js";
import { AnthropicError, OpenAiError, parameter } from "@curlew/gateway/fronts/openapi/index.js";
import { invalidField, type Query, readCount } from "@curlew/gateway/fronts/parts/query.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import { z } from "zod";
import {
  groupings,
  isGrouping,
  maxDaysOf,
  type UsageQuestion,
  type UsageReport,
  usualDaysOf,
  writeReport,
} from "../usage/index.js";

const count = () => z.int().min(0);
const share = () => z.number().min(0).max(1).nullable();

const sums = {
  requests: count(),
  failures: count(),
  messages: count().describe("Turns with words of the user that the client has not sent by itself."),
  turns: count().describe("Turns that ended. One with tool calls counts once."),
  estimated_turns: count().describe("Turns of these without usage from Cursor; their tokens are estimates."),
  input_tokens: count().describe("Includes what was read from and written to the cache."),
  output_tokens: count(),
  cache_read_tokens: count(),
  cache_write_tokens: count(),
  reasoning_tokens: count(),
  cache_share: share().describe("The share of the input that came from Cursor's cache; null without input."),
  saved_tokens: count().describe("Tokens that the model did not have to read again, thanks to the cache."),
  warm_turns: count().describe("Turns that continued their conversation. Tool rounds belong to their turn."),
  cold_turns: count(),
  warm_share: share().describe("The share of warm turns; null without any."),
  runs: count().describe("Runs that were started at Cursor."),
  runs_per_message: z.number().min(0).nullable().describe("All runs by messages; null without messages."),
  side_runs: z
    .looseObject({ title: count(), suggestion: count(), compaction: count(), check: count() })
    .describe("Runs of these for requests that clients send by themselves. check: a model judges a tool call."),
  retries: count(),
  sent_bytes: count(),
  received_bytes: count(),
  cost: z
    .looseObject({
      dollars: z.number().min(0).nullable().describe("For the models with a known price; null if none has one."),
      unpriced_models: z.array(z.string()).describe("Models that the dollars leave out."),
    })
    .describe("At list prices."),
};

const percent = () => z.number().nullable();
const text = () => z.string().nullable();

const Plan = z.looseObject({
  plan: text(),
  price: text(),
  period_start: text(),
  resets: text(),
  percent_used: percent(),
  auto_percent_used: percent(),
  api_percent_used: percent(),
  spent_cents: z.number().nullable(),
  included_cents: z.number().nullable(),
  on_demand: z
    .looseObject({ used_cents: z.number(), limit_cents: z.union([z.number(), z.literal("unlimited")]).nullable() })
    .nullable(),
});

const Usage = z.looseObject({
  object: z.literal("curlew.usage"),
  by: z.string(),
  days: z.int(),
  data: z.array(
    z.looseObject({
      day: z.string().optional().describe("In the time zone of the gateway; in rows by day and by hour."),
      starts_at: z.string().optional().describe("When the day or the hour begins."),
      model: z.string().optional().describe("In rows by day and by model."),
      client: z.string().optional().describe("In rows by client: the name of its key, or else its own."),
      ...sums,
    }),
  ),
  total: z.looseObject(sums),
  plan: Plan.nullable().describe("Cursor's report on the plan, at most five minutes old; for the owner alone."),
  plan_problem: z.string().nullable().describe("Why the plan is null."),
});

/** Where the answers come from: the ledger, and Cursor. */
export interface UsageSource {
  report(question: UsageQuestion): Promise<UsageReport>;
  /** Bounded in time, because a client waits for it. */
  plan(): Promise<PlanAnswer>;
}

interface UsageDeps {
  readonly usage: UsageSource;
  readonly findOwner: (incoming: EndpointRequest["incoming"]) => object | undefined;
  readonly callerOf: (incoming: EndpointRequest["incoming"]) => { readonly name: string | undefined };
}

const OWNERS_PLAN = { plan: null, problem: "Only the gateway's owner can see the plan." };

/** `GET /v1/usage`: usage of the gateway and of the plan. The holder of a named key sees only its own part. */
export function usageRoutes({ usage, findOwner, callerOf }: UsageDeps): RouteGroup {
  return {
    fronts: [],
    endpoints: [
      {
        method: "GET",
        path: "/v1/usage",
        description: {
          operationId: "readUsage",
          summary: "Reports the usage of the gateway and of the plan. A named key sees only its own part.",
          parameters: [
            parameter("query", "by", "day (and model), model, hour or client.", {
              type: "string",
              enum: ["day", "model", "client", "hour"],
              default: "day",
            }),
            parameter(
              "query",
              "days",
              "The number of days, including today (default 7; by hour 1). By hour, at most 31.",
              { type: "integer", minimum: 1, maximum: 3_650 },
            ),
          ],
          replies: { Usage },
        },
        async answer({ query, incoming }) {
          const question = parseQuestion(query);
          const owner = findOwner(incoming);
          const client = owner === undefined ? callerOf(incoming).name : undefined;
          if (owner === undefined && client === undefined) throw ownerOnly();
          const read = usage.report({ ...question, client });
          const [report, { plan, problem }] = await Promise.all([read, owner ? usage.plan() : OWNERS_PLAN]);
          return {
            body: { object: "curlew.usage", ...writeReport(report), plan: writePlan(plan), plan_problem: problem },
          };
        },
      },
    ],
    errorShapes: { OpenAiError, AnthropicError },
  };
}

export function ownerOnly(): GatewayError {
  return new GatewayError(
    "owner_only",
    "This covers all clients of the gateway, so only its owner can read it: send the value of CURLEW_KEY, and no account of your own.",
  );
}

/** @throws {GatewayError} `invalid_request`, if the query is wrong. */
export function parseQuestion(query: Query): UsageQuestion {
  const by = query("by") ?? "day";
  if (!isGrouping(by)) throw invalidField("by", `must be one of ${groupings.join(", ")}`);
  return { by, days: readCount(query, "days", usualDaysOf(by), maxDaysOf(by), by === "hour" ? " with by=hour" : "") };
}

export function writePlan(plan: PlanAnswer["plan"]) {
  if (plan === null) return null;
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
