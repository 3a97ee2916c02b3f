import type { IncomingMessage } from "node:http";
import type { Handler } from "hono";
import { shownName } from "../../models/index.js";
import { GatewayError } from "../../turn/error.js";
import { watchClient } from "../client-watch.js";
import type { RouteDeps } from "../journey.js";
import type { ServerEnv } from "../request-record.js";
import { parsePaging, writeAnthropicList, writeAnthropicModel } from "./anthropic.js";
import type { ListedModel } from "./listed-model.js";
import { writeOpenAiList, writeOpenAiModel } from "./openai.js";

/** Both dialects ask at the same address; this header is on every call of Anthropic's clients. */
const ANTHROPIC_HEADER = "anthropic-version";

type ModelsDeps = Pick<RouteDeps, "gateway" | "accountOf">;

export function serveModels(deps: ModelsDeps): Handler<ServerEnv> {
  return async (c) => {
    const paging = c.req.header(ANTHROPIC_HEADER) && parsePaging((name) => c.req.query(name));
    const models = await listFor(c.env.incoming, deps);
    return Response.json(paging ? writeAnthropicList(models, paging) : writeOpenAiList(models));
  };
}

export function serveModel(deps: ModelsDeps): Handler<ServerEnv> {
  return async (c) => {
    const asked = (c.req.param("id") ?? "").toLowerCase();
    const models = await listFor(c.env.incoming, deps);
    const model =
      models.find((each) => isCalled(each, asked)) ??
      models.find((each) => isCalled(each, asked.replace(/^cursor\//, "")));
    if (model === undefined) {
      throw new GatewayError(
        "model_not_found",
        "There is no such model in your Cursor list; `GET /v1/models` shows it.",
      );
    }
    return Response.json(c.req.header(ANTHROPIC_HEADER) ? writeAnthropicModel(model) : writeOpenAiModel(model));
  };
}

async function listFor(incoming: IncomingMessage, deps: ModelsDeps): Promise<readonly ListedModel[]> {
  const account = deps.accountOf?.(incoming.headers);
  const client = watchClient(incoming);
  try {
    return await deps.gateway.models(client.signal, { account });
  } finally {
    client.release();
  }
}

function isCalled(model: ListedModel, name: string): boolean {
  return [shownName(model), model.id, ...model.aliases].some((each) => each.toLowerCase() === name);
}
