import type { IncomingMessage } from "node:http";
import type { Handler } from "hono";
import type { Gateway } from "../../gateway/index.js";
import { shownName } from "../../models/index.js";
import { GatewayError } from "../../turn/error.js";
import { watchClient } from "../client-watch.js";
import type { ServerEnv } from "../request-record.js";

type Model = Awaited<ReturnType<Gateway["models"]>>[number];

/** Cursor does not tell when a model came; a fixed moment keeps lists comparable. */
const CREATED_SECONDS = 1_700_000_000;

export function serveModels(gateway: Gateway): Handler<ServerEnv> {
  return async (c) => {
    const models = await listFor(c.env.incoming, gateway);
    return Response.json({ object: "list", data: models.map(writeModel) });
  };
}

export function serveModel(gateway: Gateway): Handler<ServerEnv> {
  return async (c) => {
    const asked = c.req.param("id") ?? "";
    const models = await listFor(c.env.incoming, gateway);
    const model = models.find((each) => isCalled(each, asked.toLowerCase()));
    if (model === undefined) {
      throw new GatewayError(
        "model_not_found",
        "There is no such model in your Cursor list; `GET /v1/models` shows it.",
      );
    }
    return Response.json(writeModel(model));
  };
}

async function listFor(incoming: IncomingMessage, gateway: Gateway): Promise<readonly Model[]> {
  const client = watchClient(incoming);
  try {
    return await gateway.models(client.signal);
  } finally {
    client.release();
  }
}

function isCalled(model: Model, name: string): boolean {
  return [shownName(model), model.id, ...model.aliases].some((each) => each.toLowerCase() === name);
}

function writeModel(model: Model) {
  return {
    id: shownName(model),
    object: "model",
    created: CREATED_SECONDS,
    owned_by: "cursor",
    name: model.name,
    ...(model.contextTokens !== undefined && { context_window: model.contextTokens }),
  };
}
