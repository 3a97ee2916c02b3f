import { createHash, randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Clock } from "./clock.js";
import { toErrorAnswer } from "./fronts/answer.js";
import { serveTokenCount } from "./fronts/anthropic-messages/count-tokens.js";
import { anthropicMessages } from "./fronts/anthropic-messages/index.js";
import type { Front } from "./fronts/front.js";
import type { RouteDeps } from "./fronts/journey.js";
import { KeepAlive } from "./fronts/keep-alive.js";
import { refuseMethod } from "./fronts/method.js";
import { serveModel, serveModels } from "./fronts/models/index.js";
import { openaiChat } from "./fronts/openai-chat/index.js";
import { openaiCompletions } from "./fronts/openai-completions/index.js";
import {
  createCompact,
  createOpenAiResponses,
  deleteStoredResponse,
  refuseCancelling,
  serveInputItems,
  serveInputTokens,
  serveStoredResponse,
  takeSockets,
} from "./fronts/openai-responses/index.js";
import { serveOpenApi } from "./fronts/openapi/index.js";
import { logRequests, type RequestLog } from "./fronts/request-log.js";
import { RequestMemory } from "./fronts/request-memory.js";
import type { ServerEnv } from "./fronts/request-record.js";
import { serveFront } from "./fronts/route.js";
import { serveTools } from "./fronts/tools/index.js";
import { refuseUnknownRoute } from "./fronts/unknown-route.js";
import type { Account, Gateway } from "./gateway/index.js";
import {
  allowOrigins,
  createKeyCheck,
  guardHost,
  guardKey,
  guardOrigin,
  requestAccounts,
  warnOfCredential,
} from "./guards/index.js";
import { GatewayError } from "./turn/error.js";

/** The settings that the client side goes by. */
export interface ServerConfig {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly key: string | undefined;
  readonly bodyLimitBytes: number;
  readonly keepAliveMs: number;
}

export interface ServerDeps {
  readonly gateway: Gateway;
  /** Everything there is to say; those who do not hold the key get to see little of it. */
  readonly health: () => { readonly status: string; readonly version: string; readonly backend: string };
  readonly config: ServerConfig;
  readonly log: RequestLog;
  readonly clock: Clock;
  /** What to call the backend to people, where that is not its own name. */
  readonly backend?: string | undefined;
  /** The account of a credential that a request brings. Without this, requests bring none. */
  readonly accountOfCredential?: ((credential: string) => Account) | undefined;
  readonly newId?: () => string;
  readonly memory?: RequestMemory;
  /** Aborted when no new requests are taken. */
  readonly closing?: AbortSignal;
}

/** Every route, and who may use it. */
export function createServer(given: ServerDeps): Hono<ServerEnv> {
  const { health, config, log, clock, closing } = given;
  const deps = routeDepsOf(given);
  const isPassThrough = deps.accountOf !== undefined;
  const holdsKey = createKeyCheck(config.key, { isPassThrough });
  const app = new Hono<ServerEnv>();

  app.use(logRequests({ log, clock, newId: deps.newId }));
  app.use(guardHost(config));
  app.use(allowOrigins(config.corsOrigins), guardOrigin(config.corsOrigins));

  app.get("/health", (c) => {
    const { status, version, backend, ...rest } = health();
    return Response.json({ status, version, backend, ...(holdsKey(c.env.incoming.headers) && rest) });
  });
  app.all("/health", refuseMethod("GET, HEAD"));
  // Claude Code asks here whether anybody is there.
  app.get("/api/hello", (c) => c.body(null));

  app.use(guardKey(holdsKey, { isPassThrough }));

  const offer = <Request>(front: Front<Request>) => {
    // Without /v1 for clients whose base URL lacks it.
    for (const path of [front.path, front.path.replace("/v1/", "/")]) {
      app.post(path, serveFront(front, deps));
      app.all(path, refuseMethod("POST"));
    }
  };
  offer(openaiChat);
  offer(openaiCompletions);
  const openaiResponses = createOpenAiResponses(clock);
  const sockets = takeSockets({ ...deps, front: openaiResponses, log, closing });
  for (const path of [openaiResponses.path, "/responses"]) app.use(path, sockets);
  offer(openaiResponses);
  offer(createCompact(clock));
  for (const path of ["/v1/responses/input_tokens", "/responses/input_tokens"]) {
    app.post(path, serveInputTokens(deps));
    app.all(path, refuseMethod("POST"));
  }
  for (const path of ["/v1/responses/:id", "/responses/:id"]) {
    app.get(path, serveStoredResponse(deps));
    app.delete(path, deleteStoredResponse(deps));
    app.all(path, refuseMethod("GET, HEAD, DELETE"));
    app.get(`${path}/input_items`, serveInputItems(deps));
    app.all(`${path}/input_items`, refuseMethod("GET, HEAD"));
    app.post(`${path}/cancel`, refuseCancelling(deps));
    app.all(`${path}/cancel`, refuseMethod("POST"));
  }
  offer(anthropicMessages);
  for (const path of ["/v1/messages/count_tokens", "/messages/count_tokens"]) {
    app.post(path, serveTokenCount(deps));
    app.all(path, refuseMethod("POST"));
  }
  for (const path of ["/v1/models", "/models"]) {
    app.get(path, serveModels(deps));
    app.all(path, refuseMethod("GET, HEAD"));
    app.get(`${path}/:id{.+}`, serveModel(deps));
    app.all(`${path}/:id{.+}`, refuseMethod("GET, HEAD"));
  }

  app.get("/v1/tools", serveTools(deps));
  app.all("/v1/tools", refuseMethod("GET, HEAD"));

  app.get(
    "/openapi.json",
    serveOpenApi(() => health().version),
  );
  app.all("/openapi.json", refuseMethod("GET, HEAD"));

  app.notFound(refuseUnknownRoute(app));
  app.onError((thrown, c) => {
    const { status, headers, text } = toErrorAnswer(thrown, errorWriterFor(c), c.var.record);
    return new Response(text, { status, headers });
  });
  return app;
}

/** Clients of Anthropic's read errors in their own form wherever they meet them. */
function errorWriterFor({ req }: Context<ServerEnv>) {
  const isAnthropic = /^(?:\/v1)?\/messages(?:\/|$)/.test(req.path) || req.header("anthropic-version") !== undefined;
  return (isAnthropic ? anthropicMessages : openaiChat).error;
}

/** What every route goes by. */
function routeDepsOf({
  gateway,
  config: { key, keepAliveMs, bodyLimitBytes },
  clock,
  backend,
  accountOfCredential,
  newId = randomUUID,
  memory = new RequestMemory(bodyLimitBytes),
}: ServerDeps): RouteDeps {
  return {
    gateway,
    caller: key === undefined ? "" : createHash("sha256").update(key).digest("base64url"),
    accountOf: accountOfCredential && requestAccounts(accountOfCredential),
    warnOf: accountOfCredential === undefined ? warnOfCredential : undefined,
    clock,
    keepAlive: new KeepAlive({ silenceMs: keepAliveMs, clock }),
    newId,
    bodyLimitBytes,
    memory,
    backend,
  };
}

/** The server for `node:http`. */
export function createListener(deps: ServerDeps): RequestListener {
  const unreadable = new GatewayError("invalid_request", "The address or the host name of this request is not valid.");
  return getRequestListener(createServer(deps).fetch, {
    // For HTTP/1.0, which may come without a host.
    hostname: "localhost",
    // Curlew may run inside another program, whose globals are not ours to replace.
    overrideGlobalObjects: false,
    errorHandler: () => {
      // What was meant is not known, and this form has all that clients of the others look for.
      const { status, body } = anthropicMessages.error(unreadable, "");
      return Response.json(body, { status });
    },
  });
}
