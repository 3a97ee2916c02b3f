import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { Account } from "@curlew/gateway/core/index.js";
import { anthropicMessages } from "@curlew/gateway/fronts/anthropic-messages/index.js";
import { addressesOf, type Dialect, describeRoutes, type RouteGroup } from "@curlew/gateway/fronts/dialect.js";
import { dialects } from "@curlew/gateway/fronts/dialects.js";
import {
  allowOrigins,
  answerPreflights,
  callerFinder,
  callerOf,
  guardHost,
  guardKey,
  guardOrigin,
  KeyAttempts,
  ownerFinder,
  requestAccounts,
  warnOfCredential,
} from "@curlew/gateway/fronts/guards/index.js";
import { jsonAnswer } from "@curlew/gateway/fronts/http/answer.js";
import { KnownBodies } from "@curlew/gateway/fronts/http/body/known-bodies.js";
import { KeepAlive } from "@curlew/gateway/fronts/http/body-stream.js";
import { createEntrance } from "@curlew/gateway/fronts/http/entrance.js";
import { BackgroundReplies } from "@curlew/gateway/fronts/http/rejoin/background-replies.js";
import { RunningReplies } from "@curlew/gateway/fronts/http/rejoin/running-replies.js";
import { noteClient } from "@curlew/gateway/fronts/http/request-log.js";
import { RequestMemory } from "@curlew/gateway/fronts/http/request-memory.js";
import { serveFront } from "@curlew/gateway/fronts/http/route.js";
import type { RouteDeps } from "@curlew/gateway/fronts/http/route-deps.js";
import { type Route, Router } from "@curlew/gateway/fronts/http/router.js";
import { serveEndpoint } from "@curlew/gateway/fronts/http/serve-endpoint.js";
import { foreignApiAt, refuseMethod, refuseUnknownRoute } from "@curlew/gateway/fronts/http/unserved-routes.js";
import { models } from "@curlew/gateway/fronts/models/index.js";
import { gatewayRoutes, writeDocument } from "@curlew/gateway/fronts/openapi/index.js";
import { serveTools, toolRoutes } from "@curlew/gateway/fronts/tools/index.js";
import type { ClientSocketDeps } from "@curlew/gateway/fronts/websocket/client-socket.js";
import { serveSockets } from "@curlew/gateway/fronts/websocket/socket-route.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { KeyRing } from "@curlew/meter/keys/index.js";
import { ownerOnly, type UsageSource, usageRoutes } from "@curlew/meter/routes/index.js";
import type { PageDoor } from "@curlew/page/access/index.js";
import { addPage, writeAbout } from "@curlew/page/routes/index.js";
import { controlRoutes, guardControl } from "../control/routes.js";

export interface ServerConfig {
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly bodyLimitBytes: number;
  readonly keepAliveMs: number;
  /** How long a reply keeps running for a client on another machine whose connection broke. */
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
  /** The token of the owner's commands. Without it, they have no routes. */
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
  readonly api: (deps: RouteDeps) => readonly Route[];
}

/** Every route, and the guards before it. */
export function createRoutes(given: ServerDeps) {
  const { health, metrics, usage, config, clock, closing } = given;
  const attempts = new KeyAttempts(clock);
  const rules = { isPassThrough: given.accountOfCredential !== undefined, attempts };
  const findCaller = callerFinder(given.keys, rules);
  const deps = routeDepsOf(given, callerOf(findCaller, rules));
  const { corsOrigins } = config;
  const guards = [
    guardHost(config),
    allowOrigins(corsOrigins),
    answerPreflights(corsOrigins),
    guardOrigin(corsOrigins),
  ];
  const identify = guardKey(deps.callerOf, noteClient);
  const findOwner = ownerFinder(findCaller, rules);

  const router: Router = new Router({
    unknown: { guards: [identify], serve: (request) => refuseUnknownRoute(request, router.routes) },
    unreadable: { guards: [], serve: refuseAddress },
    method: refuseMethod,
  });
  router.add(
    [],
    [
      {
        method: "GET",
        path: "/health",
        isRoutine: true,
        serve({ incoming }) {
          const { status, version, backend, updated, ...rest } = health();
          return jsonAnswer({ status, version, backend, updated, ...(findOwner(incoming) && rest) });
        },
      },
      // Claude Code asks here whether the server is up.
      { method: "GET", path: "/api/hello", isRoutine: true, serve: () => ({ status: 200, headers: {}, body: "" }) },
    ],
  );

  const { page } = given;
  if (given.controlToken !== undefined) {
    router.add([guardControl(given.controlToken)], controlRoutes({ ...deps, newPageLink: page.newLink }));
  }

  const groups = [...dialects, models, usageRoutes({ ...deps, usage, findOwner })];
  const describedRoutes = [...groups.flatMap(describeRoutes), ...toolRoutes, ...gatewayRoutes];
  addPage(router, {
    ...deps,
    ...page,
    api: page.api(deps),
    keys: given.keys,
    attempts,
    about: () => writeAbout(describedRoutes, health().version),
  });

  // Few clients ask for it, so it is written at the first request.
  let document: object | undefined;
  const describe = () => {
    document ??= writeDocument(describedRoutes, health().version);
    return jsonAnswer(document);
  };
  router.add(
    [identify],
    [
      ...groups.flatMap((group) => routesOf(group, { deps, closing })),
      { method: "GET", path: "/v1/tools", serve: serveTools(deps) },
      {
        method: "GET",
        path: "/metrics",
        isRoutine: true,
        serve({ incoming }) {
          if (!findOwner(incoming)) throw ownerOnly();
          return { status: 200, headers: { "content-type": metrics.contentType }, body: metrics.text() };
        },
      },
      { method: "GET", path: "/openapi.json", serve: describe },
    ],
  );
  return { router, guards, deps };
}

export function createListener(given: ServerDeps): RequestListener {
  const { router, guards, deps } = createRoutes(given);
  return createEntrance({ ...deps, router, guards, errorWriterOf });
}

/** The routes of a group, at all their addresses. */
function routesOf(
  { fronts, endpoints }: RouteGroup,
  server: Omit<ClientSocketDeps<unknown>, "front">,
): readonly Route[] {
  const { deps } = server;
  const routes: Route[] = [];
  for (const front of fronts) {
    if ("readMessage" in front) {
      routes.push({ method: "WS", path: front.path, serve: serveSockets({ ...server, front }) });
    }
    routes.push({ method: "POST", path: front.path, serve: serveFront(front, deps) });
  }
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    routes.push({ method, path, serve: serveEndpoint(endpoint, deps) });
  }
  return routes.flatMap((route) => addressesOf(route.path).map((path) => ({ ...route, path })));
}

function refuseAddress(): never {
  throw new GatewayError("invalid_request", "The address or the host name of this request is not valid.");
}

function errorWriterOf(path: string, headers: IncomingHttpHeaders): Dialect["error"] {
  // The dialect is unknown. This form has all the fields that clients of the others read.
  if (path === "") return anthropicMessages.error;
  const spoken = dialects.find(({ isSpokenIn }) => isSpokenIn?.(path, headers));
  return (foreignApiAt(path) ?? spoken ?? dialects[0]).error;
}

function routeDepsOf(given: ServerDeps, callerOf: RouteDeps["callerOf"]): RouteDeps {
  const { clock, accountOfCredential, config } = given;
  const { keepAliveMs, bodyLimitBytes, rejoinMs } = config;
  const { memory = new RequestMemory(bodyLimitBytes) } = given;
  return {
    newId: randomUUID,
    parseBody: new KnownBodies(memory, clock).parse,
    ...given,
    memory,
    fronts: dialects.flatMap(({ fronts }) => fronts),
    callerOf,
    accountOf: accountOfCredential && requestAccounts(accountOfCredential),
    warnOf: accountOfCredential === undefined ? warnOfCredential : undefined,
    keepAlive: new KeepAlive({ silenceMs: keepAliveMs, clock }),
    bodyLimitBytes,
    rejoinMs,
    replies: new RunningReplies(),
    background: new BackgroundReplies(clock),
  };
}
