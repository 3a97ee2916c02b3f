import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { anthropicMessages } from "./fronts/anthropic-messages/index.js";
import { controlRoutes } from "./fronts/control/index.js";
import { type Dialect, describeRoutes } from "./fronts/dialect.js";
import { dialects } from "./fronts/dialects.js";
import { toErrorAnswer } from "./fronts/http/answer.js";
import { KeepAlive } from "./fronts/http/body-stream.js";
import { foreignApiAt } from "./fronts/http/foreign-apis.js";
import { forgiveBaseUrls } from "./fronts/http/meant-address.js";
import { takePostedTurns } from "./fronts/http/posted-turns.js";
import { BackgroundReplies } from "./fronts/http/rejoin/background-replies.js";
import { RunningReplies } from "./fronts/http/rejoin/running-replies.js";
import { logRequests, noteClient } from "./fronts/http/request-log.js";
import { RequestMemory } from "./fronts/http/request-memory.js";
import type { ServeTurn } from "./fronts/http/route.js";
import type { RouteDeps } from "./fronts/http/route-deps.js";
import type { ServerEnv } from "./fronts/http/server-env.js";
import { refuseMethod, refuseUnknownRoute, serveGet } from "./fronts/http/unserved-routes.js";
import { models } from "./fronts/models/index.js";
import { gatewayRoutes, serveOpenApi } from "./fronts/openapi/index.js";
import { ownPage, type PageRoute, servePage, writeAbout } from "./fronts/page/index.js";
import { serveRoutes } from "./fronts/serve-routes.js";
import { serveTools, toolRoutes } from "./fronts/tools/index.js";
import { ownerOnly, type UsageSource, usageRoutes } from "./fronts/usage/index.js";
import type { Account } from "./gateway/index.js";
import {
  allowOrigins,
  answerPreflights,
  asMiddleware,
  callerFinder,
  callerOf,
  guardControl,
  guardHost,
  guardKey,
  guardOrigin,
  guardPage,
  guardPageSite,
  isPageOpen,
  KeyAttempts,
  ownerFinder,
  requestAccounts,
  warnOfCredential,
} from "./guards/index.js";
import type { KeyRing } from "./keys/index.js";
import type { PageDoor } from "./page/index.js";
import { GatewayError } from "./turn/error.js";

export interface ServerConfig {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly bodyLimitBytes: number;
  readonly keepAliveMs: number;
  /** How long a reply goes on for a client on another machine whose connection broke. */
  readonly rejoinMs: number;
}

export interface ServerDeps
  extends Pick<RouteDeps, "gatewayId" | "gateway" | "clock" | "backend" | "log">,
    Partial<Pick<RouteDeps, "newId" | "memory">> {
  /** The complete health report. All but the owner see only a part of it. */
  readonly health: () => Readonly<Record<"status" | "version" | "backend", string>> & { readonly updated?: boolean };
  readonly metrics: { readonly contentType: string; text(): string };
  readonly usage: UsageSource;
  readonly config: ServerConfig;
  readonly keys: KeyRing;
  /** What the owner's commands show. Without it, there are no routes for them. */
  readonly controlToken?: string | undefined;
  readonly page: PageParts;
  /** The account of a credential that a request brings. Without this function, requests cannot bring one. */
  readonly accountOfCredential?: ((credential: string) => Account) | undefined;
  readonly closing?: AbortSignal;
}

export interface PageParts {
  readonly door: PageDoor;
  readonly newLink: () => string;
  readonly isSimulated: boolean;
  readonly api: (deps: RouteDeps) => readonly PageRoute[];
}

const fronts = dialects.flatMap((dialect) => dialect.fronts);

export function createRoutes(given: ServerDeps) {
  const { health, metrics, usage, config, log, clock, closing } = given;
  const attempts = new KeyAttempts(clock);
  const rules = { isPassThrough: given.accountOfCredential !== undefined, attempts };
  const findCaller = callerFinder(given.keys, rules);
  const deps = routeDepsOf(given, callerOf(findCaller, rules));
  const app = new Hono<ServerEnv>();
  const posted = new Map<string, ServeTurn>();
  const { corsOrigins } = config;
  const host = guardHost(config);
  const readable = allowOrigins(corsOrigins);
  const origin = guardOrigin(corsOrigins);
  const identify = guardKey(deps.callerOf);
  const findOwner = ownerFinder(findCaller, rules);

  app.use(logRequests(log, deps));
  app.use(asMiddleware(host), asMiddleware(readable), answerPreflights(corsOrigins), asMiddleware(origin));

  serveGet(app, "/health", (c) => {
    c.set("isRoutine", true);
    const { status, version, backend, updated, ...rest } = health();
    return Response.json({ status, version, backend, updated, ...(findOwner(c.env.incoming) && rest) });
  });
  // Claude Code asks here whether the server is up.
  app.get("/api/hello", (c) => {
    c.set("isRoutine", true);
    return c.body(null);
  });

  const { door, newLink, isSimulated, api } = given.page;
  if (given.controlToken !== undefined) {
    const guard = asMiddleware(guardControl(given.controlToken));
    for (const [path, handler] of controlRoutes({ ...deps, newPageLink: newLink })) {
      app.use(path, guard).post(path, handler).all(path, refuseMethod("POST"));
    }
  }

  const groups = [...dialects, models, usageRoutes({ ...deps, usage, findOwner })];
  const describedRoutes = [...groups.flatMap(describeRoutes), ...toolRoutes, ...gatewayRoutes];
  servePage(app, {
    door,
    isSimulated,
    api: api(deps),
    keys: given.keys,
    attempts,
    clock,
    memory: deps.memory,
    files: ownPage,
    about: () => writeAbout(describedRoutes, health().version),
    guardSite: asMiddleware(guardPageSite),
    guard: asMiddleware(guardPage(door.sessions)),
    isOpen: (incoming) => isPageOpen(door.sessions, incoming),
  });

  app.use((c, next) => {
    const { incoming, outgoing } = c.env;
    noteClient(c.var.record, incoming, identify(incoming, outgoing));
    return next();
  });

  for (const group of groups) serveRoutes({ app, posted }, group, { deps, closing });
  serveGet(app, "/v1/tools", serveTools(deps));
  serveGet(app, "/metrics", (c) => {
    c.set("isRoutine", true);
    if (!findOwner(c.env.incoming)) throw ownerOnly();
    return new Response(metrics.text(), { headers: { "content-type": metrics.contentType } });
  });
  serveGet(
    app,
    "/openapi.json",
    serveOpenApi(describedRoutes, () => health().version),
  );

  app.notFound(refuseUnknownRoute(app));
  app.onError((thrown, c) => {
    const { status, headers, text } = toErrorAnswer(thrown, errorWriterOf(c), c.var.record, clock.now());
    return new Response(text, { status, headers });
  });
  return { app, posted, guards: [host, readable, origin], identify, deps };
}

function errorWriterOf({ req: { path }, env }: Context<ServerEnv>): Dialect["error"] {
  const spoken = dialects.find(({ isSpokenIn }) => isSpokenIn?.(path, env.incoming.headers));
  return (foreignApiAt(path) ?? spoken ?? dialects[0]).error;
}

function routeDepsOf(given: ServerDeps, callerOf: RouteDeps["callerOf"]): RouteDeps {
  const { gatewayId, gateway, clock, backend, accountOfCredential, log, newId = randomUUID } = given;
  const { keepAliveMs, bodyLimitBytes, rejoinMs } = given.config;
  return {
    gatewayId,
    gateway,
    fronts,
    callerOf,
    accountOf: accountOfCredential && requestAccounts(accountOfCredential),
    warnOf: accountOfCredential === undefined ? warnOfCredential : undefined,
    clock,
    keepAlive: new KeepAlive({ silenceMs: keepAliveMs, clock }),
    newId,
    bodyLimitBytes,
    memory: given.memory ?? new RequestMemory(bodyLimitBytes),
    replies: new RunningReplies(rejoinMs),
    background: new BackgroundReplies(clock),
    log,
    backend,
  };
}

export function createListener(deps: ServerDeps): RequestListener {
  const unreadable = new GatewayError("invalid_request", "The address or the host name of this request is not valid.");
  const routes = createRoutes(deps);
  const router = getRequestListener(routes.app.fetch, {
    // HTTP/1.0 requests may come without a host.
    hostname: "localhost",
    // Curlew may run inside another program, whose globals we must not replace.
    overrideGlobalObjects: false,
    errorHandler: () => {
      // The dialect is unknown, and this form has all the fields that clients of the others look for.
      const { status, body } = anthropicMessages.error(unreadable, "", deps.clock.now());
      return Response.json(body, { status });
    },
  });
  return takePostedTurns({ ...routes, router: forgiveBaseUrls(router) });
}
