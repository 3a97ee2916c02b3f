import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../clock.js";
import { makeFolder } from "../../make-folder.js";
import { GatewayError } from "../../turn/error.js";
import type { Backend, Model } from "../backend.js";
import type { OpenBackend } from "../backend-parts.js";
import { stopping } from "../closed.js";
import { sdkEnvironment } from "./environment.js";
import { toSdkError } from "./errors.js";
import { SdkExchange, type SdkExchangeDeps, type SdkTurnLimits } from "./exchange.js";
import { toModels } from "./models.js";
import { findInstalled, type SdkLocation, type SdkLoginSettings } from "./own-login.js";
import { SdkProcess, type SdkProcessLimits } from "./process.js";
import { ConversationStores } from "./stores.js";

export type SdkLimits = SdkProcessLimits & SdkTurnLimits;

export const defaultSdkLimits: SdkLimits = {
  startMs: 30_000,
  pingMs: 5_000,
  hungMs: 30_000,
  stallMs: 5 * 60_000,
  quietMs: 250,
};

const DAY_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 60 * 60_000;
/** The SDK has no call that tells of its login; the list of models takes a moment. */
const LOGIN_MS = 15_000;

export interface SdkBackendDeps {
  /** Without one, the SDK uses the login that it keeps itself. */
  readonly apiKey?: string | undefined;
  readonly backendUrl: string;
  /** Ours alone: conversations, and an empty place to work in. */
  readonly folder: string;
  /** Conversations that nobody goes on with are removed after so long. */
  readonly maxAgeMs: number;
  readonly locate: () => Promise<SdkLocation>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly limits: SdkLimits;
}

/** Cursor's official SDK, in a process of its own that all conversations of an account share. */
export function createSdkBackend(deps: SdkBackendDeps): Backend {
  const { clock, limits } = deps;
  const stores = new ConversationStores(join(deps.folder, "conversations"), randomUUID);
  const sweep = () => stores.sweep(clock.now(), deps.maxAgeMs);
  sweep();
  const stopSweeping = clock.every(SWEEP_EVERY_MS, sweep);
  const open = new Set<SdkExchange>();
  let current: Promise<SdkProcess> | undefined;
  let isClosed = false;

  async function spawn(): Promise<SdkProcess> {
    const { node, module } = await deps.locate();
    if (isClosed) throw stopping();
    const cwd = join(deps.folder, "empty");
    makeFolder(cwd);
    const script = fileURLToPath(new URL("./sdk-child.js", import.meta.url));
    const env = sdkEnvironment(deps.environment, deps);
    return new SdkProcess({ node, script, args: [module, cwd], cwd, env }, { clock, limits, onGone: forget });
  }

  const forget = () => {
    current = undefined;
  };

  /** One for all; a new one when that is gone. */
  async function readyProcess(): Promise<SdkProcess> {
    current ??= spawn();
    const process = await current.catch((thrown) => {
      forget();
      throw thrown;
    });
    await process.ready;
    return process;
  }

  const exchangeDeps: SdkExchangeDeps = {
    clock,
    limits,
    stores,
    process: readyProcess,
    account: { isSystemPromptRefused: false },
  };
  return {
    name: "sdk",
    can: { tools: true, images: true },
    models: async (signal) => listModels(await readyProcess(), signal),
    async login() {
      try {
        await listModels(await readyProcess(), AbortSignal.timeout(LOGIN_MS));
        return "logged-in";
      } catch (thrown) {
        return GatewayError.from(thrown).kind === "authentication" ? "logged-out" : "unknown";
      }
    },
    start(turn, context) {
      const exchange = new SdkExchange(turn, context, exchangeDeps);
      open.add(exchange);
      exchange.onOver(() => open.delete(exchange));
      return exchange;
    },
    close() {
      isClosed = true;
      stopSweeping();
      for (const exchange of open) exchange.close("shutdown");
      void current?.then(
        (process) => process.stop(),
        () => {},
      );
    },
  };
}

function listModels(process: SdkProcess, signal: AbortSignal): Promise<Model[]> {
  const turn = randomUUID();
  return new Promise<Model[]>((resolve, reject) => {
    signal.addEventListener("abort", () =>
      reject(new GatewayError("timeout", "Cursor's SDK did not list its models.")),
    );
    process.open(turn, {
      message(message) {
        if (message.type === "models") resolve(toModels(message.models));
        else if (message.type === "failed") reject(toSdkError(message.failure));
      },
      lost: reject,
    });
    process.send({ type: "models", turn });
  }).finally(() => process.close(turn));
}

interface SdkSettings extends SdkLoginSettings {
  readonly backendUrl: string;
  readonly stateFolder: string | undefined;
  readonly stateMaxDays: number;
  readonly stallMs: number;
  readonly quietMs: number;
}

export const open: OpenBackend<SdkSettings> = (parts) => {
  const { backendUrl, stateFolder, stateMaxDays, stallMs, quietMs } = parts.settings;
  return ({ apiKey }) =>
    createSdkBackend({
      apiKey,
      backendUrl,
      folder: join(stateFolder ?? "state", "sdk"),
      maxAgeMs: stateMaxDays * DAY_MS,
      locate: () => findInstalled(parts),
      environment: parts.machine.env,
      clock: parts.clock,
      limits: { ...defaultSdkLimits, stallMs, quietMs },
    });
};
