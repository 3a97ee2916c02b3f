import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { takeUpgrades } from "../src/app/start/upgrades.js";
import { createAttachments } from "../src/attachments/index.js";
import { oneRoad } from "../src/backends/choose/index.js";
import { type Script, type ScriptedBackend, scriptedBackend } from "../src/backends/scripted/index.js";
import { type Clock, systemClock } from "../src/clock.js";
import { createGateway, type Gateway } from "../src/gateway/index.js";
import { createCatalogue } from "../src/models/index.js";
import { createListener, type ServerConfig, type ServerDeps } from "../src/server.js";
import { createMemoryStore } from "../src/store/index.js";
import { gatewaySettings } from "./gateway-settings.js";

interface ScriptedServerOptions extends Partial<Script> {
  config?: Partial<ServerConfig>;
  clock?: Clock;
  memory?: ServerDeps["memory"];
  backendName?: string;
  health?: ServerDeps["health"];
}

export interface ScriptedServer {
  readonly port: number;
  readonly url: string;
  readonly backend: ScriptedBackend;
  readonly gateway: Gateway;
  /** What the server was made from. */
  readonly deps: ServerDeps;
  /** The facts of every line of the request log, in order. */
  readonly requests: readonly Record<string, unknown>[];
  /** What was logged as an error. */
  readonly errors: readonly object[];
  readonly responses: readonly ServerResponse[];
  close(): Promise<void>;
}

const openConfig: ServerConfig = {
  host: "127.0.0.1",
  allowedHosts: [],
  corsOrigins: [],
  key: undefined,
  bodyLimitBytes: 1024 * 1024,
  keepAliveMs: 15_000,
};

/** The whole client side over a scripted backend on a real port, for tests. */
export async function startScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const { steps = [], config = {}, clock = systemClock, backendName, health, memory, ...script } = options;
  const backend = scriptedBackend({ steps, ...script });
  const gateway = createGateway({
    account: "scripted",
    roads: oneRoad({ backend, catalogue: createCatalogue({ fetchModels: backend.models }) }),
    store: createMemoryStore({ now: Date.now }),
    attachments: createAttachments({ clock: systemClock }),
    settings: gatewaySettings,
    clock: systemClock,
  });
  const requests: Record<string, unknown>[] = [];
  const errors: object[] = [];
  const responses: ServerResponse[] = [];
  const deps: ServerDeps = {
    gateway,
    health: health ?? (() => ({ status: "ok", version: "1.2.3", backend: "scripted" })),
    config: { ...openConfig, ...config },
    log: {
      info: (facts) => requests.push({ ...facts }),
      error: (facts) => errors.push(facts),
    },
    clock,
    ...(memory !== undefined && { memory }),
    ...(backendName !== undefined && { backend: backendName }),
  };
  const listener = createListener(deps);
  const server = createServer((request, response) => {
    responses.push(response);
    listener(request, response);
  });
  takeUpgrades(server, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    backend,
    gateway,
    deps,
    requests,
    errors,
    responses,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
