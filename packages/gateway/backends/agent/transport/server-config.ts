import {
  DashboardService,
  type GetServerConfigResponse,
  Http2Config,
  PrivacyMode,
  ServerConfigService,
} from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { Clock } from "../../../system/clock.js";
import { inFlight } from "../../../system/turnstile.js";
import type { ClaimedClient } from "../../backend-parts.js";
import { type CallTarget, callUnary } from "../../cursor/unary.js";
import type { CursorProfile } from "../../profile/index.js";

const { getServerConfig } = ServerConfigService.method;
const { getUserPrivacyMode } = DashboardService.method;

const HOUR_MS = 60 * 60_000;
const CALL_TIMEOUT_MS = 10_000;
/** How long the first turn waits before it proceeds without a config. */
const FIRST_WAIT_MS = 2_000;
const RETRY_MS = 60_000;
/** A known config stays valid through failures for this long. After that the strictest values apply again. */
const TRUST_MS = 2 * HOUR_MS;

export interface ServerConfig {
  readonly agentOrigin: string;
  /** Whether Cursor may store nothing of the account's content; true while unknown. */
  readonly ghostMode: boolean;
  /** Whether the account's privacy mode comes from Cursor or is only assumed. */
  readonly isPrivacyKnown: boolean;
  readonly http2: "advised" | "advised against" | "left open";
}

interface ServerConfigDeps extends Omit<CallTarget, "userAgent"> {
  /** From the settings; wins over everything else. */
  readonly agentUrl: string | undefined;
  readonly hosts: CursorProfile["hosts"];
  readonly client: Pick<ClaimedClient, "userAgent">;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** Requests the server config with nothing but the token, as Cursor's own clients do (docs/protocol/wire.md, hosts). */
export class ServerConfigSource {
  readonly #deps: ServerConfigDeps;
  readonly #unsure: ServerConfig;
  #held: { config: ServerConfig; atMs: number } | undefined;
  #nextMs = Number.NEGATIVE_INFINITY;
  readonly #askOnce = inFlight((token: string) => this.#ask(token));
  #isSlow = false;

  constructor(deps: ServerConfigDeps) {
    this.#deps = deps;
    this.#unsure = toServerConfig(undefined, undefined, deps);
  }

  get known(): ServerConfig {
    return this.#held?.config ?? this.#unsure;
  }

  /** The config from Cursor, once it has come. Refreshes it in the background when that is due. */
  current(token: string): ServerConfig | undefined {
    if (this.#held !== undefined && this.#deps.clock.now() >= this.#nextMs) void this.#askOnce(token);
    return this.#held?.config;
  }

  /** The same, but waits briefly for the first answer. */
  async get(token: string): Promise<ServerConfig> {
    const current = this.current(token);
    if (current !== undefined) return current;
    const asking = this.#askOnce(token);
    if (!this.#isSlow) await this.#firstWait(asking); // otherwise an earlier call has waited in vain already
    return this.known;
  }

  #firstWait(asking: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#deps.clock.after(FIRST_WAIT_MS, () => {
        this.#isSlow = true;
        resolve();
      });
      void asking.then(() => {
        stop();
        resolve();
      });
    });
  }

  async #ask(token: string): Promise<void> {
    const { backendUrl, client, network, clock } = this.#deps;
    const caller = { backendUrl, userAgent: client.userAgent, network, token, timeoutMs: CALL_TIMEOUT_MS };
    const nothing = () => undefined;
    const [config, privacy] = await Promise.all([
      callUnary(getServerConfig, {}, caller).catch(nothing),
      callUnary(getUserPrivacyMode, { inferredPrivacyMode: PrivacyMode.NO_STORAGE }, caller).then(
        ({ privacyMode }) => privacyMode,
        nothing,
      ),
    ]);
    const isWhole = config !== undefined && privacy !== undefined;
    const nowMs = clock.now();
    this.#nextMs = nowMs + (isWhole ? HOUR_MS : RETRY_MS);
    const isOldGood = this.#held?.config.isPrivacyKnown && nowMs - this.#held.atMs < TRUST_MS;
    if (isWhole || !isOldGood) this.#held = { config: toServerConfig(config, privacy, this.#deps), atMs: nowMs };
  }
}

function toServerConfig(
  config: GetServerConfigResponse | undefined,
  privacy: PrivacyMode | undefined,
  { backendUrl, agentUrl, hosts }: ServerConfigDeps,
): ServerConfig {
  const ghostMode = privacy === undefined || !sharingModes.has(privacy);
  return {
    agentOrigin: agentOrigin({ backendUrl, hosts, agentUrl, advised: config?.agentUrlConfig, ghostMode }),
    ghostMode,
    isPrivacyKnown: privacy !== undefined,
    http2: http2Advice.get(config?.http2Config) ?? "left open",
  };
}

/** Only these modes let Cursor keep content (docs/protocol/older-descriptions.md, hosts, headers and versions). */
const sharingModes: ReadonlySet<PrivacyMode> = new Set([
  PrivacyMode.USAGE_DATA_TRAINING_ALLOWED,
  PrivacyMode.USAGE_CODEBASE_TRAINING_ALLOWED,
]);

const http2Advice: ReadonlyMap<Http2Config | undefined, ServerConfig["http2"]> = new Map([
  [Http2Config.FORCE_ALL_ENABLED, "advised"],
  [Http2Config.FORCE_BIDI_ENABLED, "advised"],
  [Http2Config.FORCE_ALL_DISABLED, "advised against"],
  [Http2Config.FORCE_BIDI_DISABLED, "advised against"],
]);

/** The domain of all hosts that the server config may send runs to. It is code and not data, because they get the account's token. */
const AGENT_DOMAIN = ".cursor.sh";

interface HostChoice extends Pick<ServerConfigDeps, "backendUrl" | "agentUrl" | "hosts"> {
  readonly advised: { readonly agentUrl: string; readonly agentnUrl: string } | undefined;
  readonly ghostMode: boolean;
}

/** Only the production backend sends runs to another host. Any other serves every call itself, whatever its config says. */
export function agentOrigin({ backendUrl, hosts, agentUrl, advised, ghostMode }: HostChoice): string {
  if (agentUrl !== undefined) return new URL(agentUrl).origin;
  const backend = new URL(backendUrl).origin;
  if (backend !== hosts.api) return backend;
  const named = ghostMode ? advised?.agentUrl : advised?.agentnUrl;
  return trusted(named ?? "") ?? (ghostMode ? hosts.privateAgent : hosts.openAgent);
}

/** Runs carry the account's token, so the host must be Cursor's own. */
function trusted(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === "https:" && hostname.endsWith(AGENT_DOMAIN) ? origin : undefined;
}
