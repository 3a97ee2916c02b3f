import type { RouteGroup } from "../dialect.js";
import { anthropicError, openAiError } from "../openapi/index.js";
import { readUsage } from "./openapi.js";
import { parseQuestion } from "./parse.js";
import type { UsageSource } from "./usage-source.js";
import { writeUsage } from "./write.js";

export { parseQuestion } from "./parse.js";
export type { UsageSource } from "./usage-source.js";
export { writePlan } from "./write.js";

interface UsageDeps {
  readonly usage: UsageSource;
  /** Whether requests get here only with a key. Without one, there are sums alone. */
  readonly asksForKey: () => boolean;
}

/** `GET /v1/usage`: what went through the gateway, and what is used of the plan. */
export function usageRoutes({ usage, asksForKey }: UsageDeps): RouteGroup {
  return {
    fronts: [],
    endpoints: [
      {
        method: "GET",
        path: "/v1/usage",
        description: readUsage,
        async answer({ query }) {
          const question = parseQuestion(query, { mayNameClients: asksForKey() });
          const [report, plan] = await Promise.all([usage.report(question), usage.plan()]);
          return { body: writeUsage(report, plan) };
        },
      },
    ],
    errorShapes: [openAiError, anthropicError],
  };
}
