import type { IncomingMessage } from "node:http";
import type { Handler } from "hono";
import type { Account } from "../../gateway/index.js";
import { watchClient } from "../http/client-watch.js";
import type { ServerEnv } from "../http/request-record.js";
import type { RouteDeps } from "../http/route-deps.js";
import { parsePaging, writeAnthropicList, writeAnthropicModel } from "./anthropic.js";
import { writeOpenAiList, writeOpenAiModel } from "./openai.js";

/** Both dialects ask at the same address; this header is on every call of Anthropic's clients. */
const ANTHROPIC_HEADER = "anthropic-version";

/** As in requests: longer than any name. */
const MAX_NAME = 256;

type ModelsDeps = Pick<RouteDeps, "gateway" | "accountOf">;

export function serveModels(deps: ModelsDeps): Handler<ServerEnv> {
  return async (c) => {
    const paging = c.req.header(ANTHROPIC_HEADER) && parsePaging((name) => c.req.query(name));
    const models = await ask(c.env.incoming, deps, (signal, who) => deps.gateway.models(signal, who));
    return Response.json(paging ? writeAnthropicList(models, paging) : writeOpenAiList(models));
  };
}

export function serveModel(deps: ModelsDeps): Handler<ServerEnv> {
  return async (c) => {
    const name = (c.req.param("id") ?? "").slice(0, MAX_NAME);
    const model = await ask(c.env.incoming, deps, (signal, who) => deps.gateway.model(name, signal, who));
    return Response.json(c.req.header(ANTHROPIC_HEADER) ? writeAnthropicModel(model) : writeOpenAiModel(model));
  };
}

async function ask<Answer>(
  incoming: IncomingMessage,
  deps: ModelsDeps,
  question: (signal: AbortSignal, who: { account: Account | undefined }) => Promise<Answer>,
): Promise<Answer> {
  const account = deps.accountOf?.(incoming.headers);
  const client = watchClient(incoming);
  try {
    return await question(client.signal, { account });
  } finally {
    client.release();
  }
}

export { describedRoutes as modelRoutes } from "./openapi.js";
