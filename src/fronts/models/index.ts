import type { IncomingMessage } from "node:http";
import type { Handler } from "hono";
import type { Gateway } from "../../gateway/index.js";
import { shownName } from "../../models/index.js";
import { GatewayError } from "../../turn/error.js";
import { watchClient } from "../client-watch.js";
import type { ServerEnv } from "../request-record.js";
import { parsePaging, writeAnthropicList, writeAnthropicModel } from "./anthropic.js";
import type { ListedModel } from "./listed-model.js";
import { writeOpenAiList, writeOpenAiModel } from "./openai.js";

/** Both dialects ask at the same address; this header is on every call of Anthropic's clients. */
const ANTHROPIC_HEADER = "anthropic-version";

export function serveModels(gateway: Gateway): Handler<ServerEnv> {
  return async (c) => {
    const paging = c.req.header(ANTHROPIC_HEADER) && parsePaging((name) => c.req.query(name));
    const models = await listFor(c.env.incoming, gateway);
    return Response.json(paging ? writeAnthropicList(models, paging) : writeOpenAiList(models));
  };
}

export function serveModel(gateway: Gateway): Handler<ServerEnv> {
  return async (c) => {
    const asked = (c.req.param("id") ?? "").toLowerCase();
    const models = await listFor(c.env.incoming, gateway);
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

async function listFor(incoming: IncomingMessage, gateway: Gateway): Promise<readonly ListedModel[]> {
  const client = watchClient(incoming);
  try {
    return await gateway.models(client.signal);
  } finally {
    client.release();
  }
}

function isCalled(model: ListedModel, name: string): boolean {
  return [shownName(model), model.id, ...model.aliases].some((each) => each.toLowerCase() === name);
}
