import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readSdkFile } from "../../account/import/cursor-files.js";
import { cursorLocations } from "../../account/import/locations.js";
import { makeFolder } from "../../system/make-folder.js";
import { unlessAborted } from "../../turn/any-signal.js";
import { GatewayError } from "../../turn/error.js";
import { textField } from "../../turn/read-json.js";
import type { Backend, Model } from "../backend.js";
import type { OpenBackend, OwnLoginParts } from "../backend-parts.js";
import { stopping } from "../closed.js";
import { toFamily } from "../cursor/models.js";
import type { CursorProfile } from "../profile/index.js";
import { toSdkError } from "./errors.js";
import { SdkExchange, type SdkExchangeDeps, type SdkTurnLimits } from "./exchange.js";
import { findInstalled, type SdkLocation, type SdkLoginSettings } from "./own-login.js";
import { SdkProcess, type SdkProcessLimits } from "./process.js";
import { ConversationStores } from "./stores.js";

const processLimits: SdkProcessLimits = { startMs: 30_000, pingMs: 5_000, hungMs: 30_000, maxTurns: 200 };
const DAY_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 60 * 60_000;
/** The SDK has no call for its login state, so the list of models serves, which takes a moment. */
const LOGIN_MS = 15_000;
/** The variables that the SDK needs for the network and for times. No others are passed on. */
const PASSED_VARIABLES =
  /^(LANG|LC_\w+|TZ|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|ALL|NO)_PROXY|SYSTEMROOT|WINDIR)$/i;
/** The variables by which programs find folders of the user, and other programs. */
const HOME_VARIABLES =
  "HOME USERPROFILE APPDATA LOCALAPPDATA XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME TMPDIR TEMP TMP PATH";

export interface SdkSettings extends SdkLoginSettings, SdkTurnLimits {
  readonly backendUrl: string;
  readonly profile: CursorProfile;
  readonly stateFolder: string | undefined;
  readonly stateMaxDays: number;
}

export interface SdkBackendDeps extends OwnLoginParts<SdkSettings> {
  readonly limits?: SdkProcessLimits;
  readonly locate?: () => Promise<SdkLocation>;
}

/** The backend on Cursor's official SDK, in one child process for an account. Without a key, the SDK uses its own login. */
export function createSdkBackend(deps: SdkBackendDeps, apiKey: string | undefined): Backend {
  const { settings, machine, clock, limits = processLimits, locate = () => findInstalled(deps) } = deps;
  const folder = join(settings.stateFolder ?? "state", "sdk");
  const stores = new ConversationStores(join(folder, "conversations"));
  const sweep = () => stores.sweep(clock.now(), settings.stateMaxDays * DAY_MS);
  sweep();
  const stopSweeping = clock.every(SWEEP_EVERY_MS, sweep);
  const open = new Set<SdkExchange>();
  let current: Promise<SdkProcess> | undefined;
  let isClosed = false;

  async function spawn(): Promise<SdkProcess> {
    const location = await locate();
    const home = join(folder, "home");
    // The transcripts there are of no use. An older process may still write some.
    await rm(home, { recursive: true, force: true }).catch(() => {});
    if (isClosed) throw stopping();
    for (const each of [home, join(folder, "empty")]) makeFolder(each);
    const env = Object.fromEntries(HOME_VARIABLES.split(" ").map((name) => [name, home]));
    for (const [name, value] of Object.entries(machine.env))
      if (value && PASSED_VARIABLES.test(name)) env[name] = value;
    // With this variable set, the SDK would not ask Cursor for the host of runs.
    if (settings.backendUrl !== settings.profile.hosts.api) env.CURSOR_BACKEND_URL = settings.backendUrl;
    const key = apiKey || ownKey(deps);
    if (key) env.CURSOR_API_KEY = key; // the SDK reads it only from here
    return new SdkProcess({ ...location, folder: realpathSync(folder), env }, { clock, limits, onGone: forget });
  }

  const forget = () => {
    current = undefined;
  };

  /** Returns the shared process, or a new one when that takes no more turns. */
  async function readyProcess(): Promise<SdkProcess> {
    current ??= spawn();
    const process = await current.catch((thrown) => {
      forget();
      throw thrown;
    });
    await process.ready;
    return process;
  }

  const account = { isSystemPromptRefused: false };
  const exchangeDeps: SdkExchangeDeps = { clock, limits: settings, stores, process: readyProcess, account };
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

/** The key of the SDK's own login, which the SDK would not find in the home that it gets here. */
function ownKey({ settings, machine, clock }: SdkBackendDeps): string | undefined {
  const login = readSdkFile(cursorLocations(machine).sdkFile, clock.now());
  const isHere = login.state === "found" && login.backendUrl === settings.backendUrl;
  return isHere && login.secret.kind === "api-key" ? login.secret.apiKey : undefined;
}

function listModels(process: SdkProcess, signal: AbortSignal): Promise<Model[]> {
  const turn = randomUUID();
  const listed = new Promise<Model[]>((resolve, reject) => {
    process.open(turn, {
      message(message) {
        if (message.type === "models") resolve(toModels(message.models));
        else if (message.type === "failed") reject(toSdkError(message.failure));
      },
      lost: reject,
    });
    process.send({ type: "models", turn });
  });
  const late = () => new GatewayError("timeout", "Cursor's SDK did not list its models.");
  return unlessAborted(listed, signal, late).finally(() => process.close(turn));
}

/** The SDK lists models in the form of the documented API. */
function toModels(items: unknown): Model[] {
  return (Array.isArray(items) ? items : []).flatMap((item: unknown) =>
    toFamily(item).map(({ base: id, slugs: _, ...family }) => ({
      ...family,
      id,
      name: textField(item, "displayName") || id,
      canThink: family.parameters.some((each) => /think|reason|effort/i.test(each.id)),
    })),
  );
}

export const open: OpenBackend<SdkSettings> = (parts) => (account) => createSdkBackend(parts, account.apiKey);
