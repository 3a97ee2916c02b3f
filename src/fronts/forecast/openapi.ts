import { z } from "zod";
import type { RouteDescription } from "../openapi/index.js";

const AnyRequest = z
  .looseObject({ model: z.string() })
  .describe("The body of a request to any of the routes that answer with a model's words.");

const Forecast = z.looseObject({
  object: z.literal("curlew.forecast"),
  route: z.string().describe("The route that the body was read for."),
  continuity: z.string().describe("The value that x-curlew-continuity would have."),
  state: z.string().describe("warm, resumed or cold."),
  reason: z.string().nullable().describe("Why; null if there is nothing to explain."),
  tokens_sent_again: z
    .int()
    .describe("An estimate of what the model had before and would be sent again, without system prompt and tools."),
  needs_confirmation: z.boolean().describe("Whether the request would be refused once with status 428."),
});

export const forecastTurn: RouteDescription = {
  operationId: "forecastTurn",
  summary: "Says what a request would cost, without sending anything to Cursor.",
  parameters: [
    {
      name: "route",
      in: "query",
      description: "The route that the body is for, such as /v1/messages. Without it, the body decides.",
      schema: { type: "string" },
    },
  ],
  request: { name: "ForecastRequest", schema: AnyRequest },
  replies: [{ name: "Forecast", schema: Forecast }],
};
