import type { ServerDeps } from "../../packages/cli/app/server.js";
import type { Gateway } from "../../packages/gateway/core/index.js";
import type { Clock } from "../../packages/gateway/system/clock.js";
import { type Script, type ScriptedBackend, scriptedBackend } from "../backends/scripted/index.js";
import { makeGateway } from "./make-gateway.js";
import { type ServedGateway, serveGateway, type TestConfig } from "./serve-gateway.js";

interface ScriptedServerOptions extends Partial<Script> {
  config?: TestConfig;
  clock?: Clock;
  memory?: ServerDeps["memory"];
  keys?: ServerDeps["keys"];
  page?: ServerDeps["page"];
  backendName?: string;
  health?: ServerDeps["health"];
  usage?: ServerDeps["usage"];
}

export interface ScriptedServer extends ServedGateway {
  readonly backend: ScriptedBackend;
  readonly gateway: Gateway;
  /** The fields of every line of the request log, in order. */
  readonly requests: readonly Record<string, unknown>[];
  /** The fields of every error in the log. */
  readonly errors: readonly object[];
}

const BODY_LIMIT_BYTES = 1024 * 1024;

/** The whole client side over a scripted backend on a real port. */
export async function startScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const { steps = [], config = {}, clock, backendName, health, usage, memory, keys, page, ...script } = options;
  const backend = scriptedBackend({ steps, ...script });
  const gateway = makeGateway(backend, { account: "scripted" });
  const requests: Record<string, unknown>[] = [];
  const errors: object[] = [];
  const note = (fields: object) => requests.push({ ...fields });
  const served = await serveGateway(gateway, {
    config: { bodyLimitBytes: BODY_LIMIT_BYTES, ...config },
    log: {
      info: note,
      warn: note,
      error: (fields, message) => (message === "request" ? note(fields) : errors.push(fields)),
    },
    ...(clock !== undefined && { clock }),
    ...(health !== undefined && { health }),
    ...(usage !== undefined && { usage }),
    ...(memory !== undefined && { memory }),
    ...(keys !== undefined && { keys }),
    ...(page !== undefined && { page }),
    ...(backendName !== undefined && { backend: backendName }),
  });
  return { ...served, backend, gateway, requests, errors };
}
