import { z } from "zod";
import type { RouteDescription } from "../openapi/index.js";

const count = () => z.int().min(0);
const share = () => z.number().min(0).max(1).nullable();

const sums = {
  requests: count(),
  failures: count(),
  turns: count().describe("Turns that ended. One with tool calls counts once."),
  estimated_turns: count().describe("Turns of these without usage from Cursor; their tokens are estimates."),
  input_tokens: count().describe("Includes what was read from and written to the cache."),
  output_tokens: count(),
  cache_read_tokens: count(),
  cache_write_tokens: count(),
  reasoning_tokens: count(),
  cache_share: share().describe("Of the input, what came from Cursor's cache; null without input."),
  saved_tokens: count().describe("What the cache saved: tokens that the model did not have to read again."),
  warm_replies: count().describe("Replies that continued their conversation."),
  cold_replies: count(),
  warm_share: share().describe("Of all replies; null without any."),
  runs: count().describe("Runs that were started at Cursor."),
  retries: count(),
  sent_bytes: count(),
  received_bytes: count(),
  cost: z
    .looseObject({
      dollars: z.number().min(0).nullable().describe("Of the models that have a price; null if none has."),
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
  plan_problem: z.string().nullable().describe("Why the plan is not known."),
});

export const readUsage: RouteDescription = {
  operationId: "readUsage",
  summary: "Reports what went through the gateway, and what is used of the plan. A named key sees its own part.",
  parameters: [
    {
      name: "by",
      in: "query",
      description: "day (and model), model, hour or client.",
      schema: { type: "string", enum: ["day", "model", "client", "hour"], default: "day" },
    },
    {
      name: "days",
      in: "query",
      description: "How many days, today included: 7, or 1 by hour, unless said otherwise. By hour, at most 31.",
      schema: { type: "integer", minimum: 1, maximum: 3_650 },
    },
  ],
  replies: [{ name: "Usage", schema: Usage }],
};
