import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createListener, type ServerConfig, type ServerDeps } from "../../packages/cli/app/server.js";
import { takeUpgrades } from "../../packages/cli/app/start/listen.js";
import type { Gateway } from "../../packages/gateway/core/index.js";
import { createEntrance } from "../../packages/gateway/fronts/http/entrance.js";
import { type Guard, type Route, Router } from "../../packages/gateway/fronts/http/router.js";
import { refuseMethod } from "../../packages/gateway/fronts/http/unserved-routes.js";
import { openaiChat } from "../../packages/gateway/fronts/openai-chat/index.js";
import { type Clock, systemClock } from "../../packages/gateway/system/clock.js";
import { GatewayError } from "../../packages/gateway/turn/error.js";
import { KeyRing } from "../../packages/meter/keys/index.js";
import { createPrices } from "../../packages/meter/prices/prices.js";
import { reportUsage } from "../../packages/meter/usage/index.js";
import { openPageDoor } from "../../packages/page/access/index.js";
import { ledgerOf } from "../ledger/ledger-of.js";
import { type LocalServer, listenLocally } from "../network/local-server.js";

/** `key` is the only key. */
export type TestConfig = Partial<ServerConfig> & { readonly key?: string | undefined };

interface Changes extends Partial<Omit<ServerDeps, "gateway" | "config">> {
  config?: TestConfig;
}

/** `close` closes only the server; the gateway belongs to the test. */
export interface ServedGateway extends LocalServer {
  /** The parts of the server. */
  readonly deps: ServerDeps;
  readonly responses: readonly ServerResponse[];
}

const openConfig: ServerConfig = {
  host: "127.0.0.1",
  allowedHosts: [],
  corsOrigins: [],
  bodyLimitBytes: 32 * 1024 * 1024,
  keepAliveMs: 15_000,
  rejoinMs: 15_000,
};

const noLog: ServerDeps["log"] = { info: () => {}, warn: () => {}, error: () => {} };

/** A page that cannot be opened. */
function closedPage(clock: Clock): ServerDeps["page"] {
  const door = openPageDoor({ path: "/nowhere/page.secret", key: undefined, clock, onProblem: () => {} });
  return { door, newLink: () => "", isSimulated: false, api: () => [] };
}

/** Every route of a gateway on a real port. */
export async function serveGateway(gateway: Gateway, changes: Changes = {}): Promise<ServedGateway> {
  const { config: { key, ...config } = {}, ...parts } = changes;
  const deps: ServerDeps = {
    gatewayId: "test",
    gateway,
    health: () => ({ status: "ok", version: "1.2.3", backend: "scripted" }),
    metrics: { contentType: "text/plain; version=0.0.4; charset=utf-8", text: () => "" },
    usage: {
      report: async (question) => reportUsage(ledgerOf(), { ...question, prices: createPrices({}), nowMs: Date.now() }),
      plan: async () => ({ plan: null, problem: "This gateway is a test's." }),
    },
    config: { ...openConfig, ...config },
    log: noLog,
    clock: systemClock,
    keys: new KeyRing({ key, isAlwaysAsked: false }),
    page: closedPage(parts.clock ?? systemClock),
    ...parts,
  };
  const responses: ServerResponse[] = [];
  const listener = createListener(deps);
  const server = createServer((request, response) => {
    responses.push(response);
    listener(request, response);
  });
  server.keepAliveTimeout = 0; // otherwise a test that computes for long finds its connection closed at the next request
  takeUpgrades(server, listener);
  return { ...(await listenLocally(server)), deps, responses };
}

const unknown = {
  guards: [],
  serve() {
    throw new GatewayError("route_not_found", "Unknown route.");
  },
};

type EntranceChanges = Partial<Parameters<typeof createEntrance>[0]> & { readonly routeGuards?: readonly Guard[] };

/** Serves some routes as a gateway does. */
export function serveRoutes(
  routes: readonly Route[],
  { routeGuards = [], ...changes }: EntranceChanges = {},
): RequestListener {
  const router = new Router({ unknown, unreadable: unknown, method: refuseMethod });
  router.add(routeGuards, routes);
  return createEntrance({
    router,
    guards: [],
    errorWriterOf: () => openaiChat.error,
    gatewayId: "test",
    clock: systemClock,
    newId: () => "an-id",
    log: noLog,
    ...changes,
  });
}
