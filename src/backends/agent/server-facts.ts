import { type Clock, systemClock } from "../../clock.js";
import {
  DashboardService,
  type GetServerConfigResponse,
  Http2Config,
  PrivacyMode,
  ServerConfigService,
} from "../../gen/aiserver_v1_pb.js";
import type { Network } from "../../network/index.js";
import { callUnary } from "../cursor/unary.js";
import { agentOrigin } from "./agent-host.js";

const { getServerConfig } = ServerConfigService.method;
const { getUserPrivacyMode } = DashboardService.method;

const HOUR_MS = 60 * 60_000;
const CALL_TIMEOUT_MS = 10_000;
/** How long the first turn waits; a server that is slower than this is taken for one that says nothing. */
const FIRST_WAIT_MS = 2_000;
/** After a failure, so long passes before the next attempt. */
const RETRY_MS = 60_000;
/** What was known stays good through failures for so long; then we are unsure again. */
const TRUST_MS = 2 * HOUR_MS;

/** What Cursor says about itself and about the account. */
export interface ServerFacts {
  /** Where runs go. */
  readonly agentOrigin: string;
  /** Whether nothing of the account's may be stored; true whenever unsure. */
  readonly ghostMode: boolean;
  /** Whether the account's privacy mode was really told, or is assumed. */
  readonly isPrivacyKnown: boolean;
  readonly http2: "advised" | "advised against" | "left open";
  readonly configVersion: string;
}

export interface ServerFactSource {
  /** What is known now, without waiting for anything. */
  readonly known: ServerFacts;
  /** Waits for the first answer only, and not for long; later ones are fetched behind. */
  get(token: string): Promise<ServerFacts>;
}

interface ServerFactDeps {
  readonly backendUrl: string;
  readonly agentUrl: string | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly network: Pick<Network, "fetch">;
  /** Ends the wait for a first answer. */
  readonly after?: Clock["after"];
}

interface Told {
  readonly config: GetServerConfigResponse | undefined;
  readonly privacy: PrivacyMode | undefined;
}

/** Over HTTP/1.1 and with nothing but the token, as Cursor's own clients ask while they start. */
export function createServerFacts({
  backendUrl,
  agentUrl,
  clock,
  network,
  after = systemClock.after,
}: ServerFactDeps): ServerFactSource {
  const unsure = toFacts({ config: undefined, privacy: undefined });
  let held: { facts: ServerFacts; atMs: number } | undefined;
  let nextMs = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;
  let isSlow = false;

  function toFacts({ config, privacy }: Told): ServerFacts {
    const ghostMode = !sharesData(privacy);
    const advised = {
      agentUrl: config?.agentUrlConfig?.agentUrl ?? "",
      agentnUrl: config?.agentUrlConfig?.agentnUrl ?? "",
    };
    return {
      agentOrigin: agentOrigin({ backendUrl, agentUrl, advised, ghostMode }),
      ghostMode,
      isPrivacyKnown: privacy !== undefined,
      http2: adviceOf(config?.http2Config),
      configVersion: config?.configVersion ?? "",
    };
  }

  async function ask(token: string): Promise<void> {
    const caller = { backendUrl, network, token, timeoutMs: CALL_TIMEOUT_MS };
    const nothing = () => undefined;
    const [config, privacy] = await Promise.all([
      callUnary(getServerConfig, {}, caller).catch(nothing),
      callUnary(getUserPrivacyMode, { inferredPrivacyMode: PrivacyMode.NO_STORAGE }, caller).then(
        ({ privacyMode }) => privacyMode,
        nothing,
      ),
    ]);
    const isWhole = config !== undefined && privacy !== undefined;
    nextMs = clock.now() + (isWhole ? HOUR_MS : RETRY_MS);
    const isOldGood = held?.facts.isPrivacyKnown && clock.now() - held.atMs < TRUST_MS;
    if (isWhole || !isOldGood) held = { facts: toFacts({ config, privacy }), atMs: clock.now() };
  }

  const askOnce = (token: string) => {
    pending ??= ask(token).finally(() => {
      pending = undefined;
    });
    return pending;
  };

  const known = () => held?.facts ?? unsure;

  return {
    get known() {
      return known();
    },
    async get(token) {
      if (held !== undefined) {
        if (clock.now() >= nextMs) void askOnce(token);
        return held.facts;
      }
      const asking = askOnce(token);
      if (isSlow) return known(); // somebody has waited already, in vain
      await new Promise<void>((resolve) => {
        const stop = after(FIRST_WAIT_MS, () => {
          isSlow = true;
          resolve();
        });
        void asking.then(() => {
          stop();
          resolve();
        });
      });
      return known();
    },
  };
}

/** Only these two allow anything to be kept; what comes later is not known to. */
function sharesData(mode: PrivacyMode | undefined): boolean {
  return mode === PrivacyMode.USAGE_DATA_TRAINING_ALLOWED || mode === PrivacyMode.USAGE_CODEBASE_TRAINING_ALLOWED;
}

function adviceOf(config: Http2Config | undefined): ServerFacts["http2"] {
  switch (config) {
    case Http2Config.FORCE_ALL_ENABLED:
    case Http2Config.FORCE_BIDI_ENABLED:
      return "advised";
    case Http2Config.FORCE_ALL_DISABLED:
    case Http2Config.FORCE_BIDI_DISABLED:
      return "advised against";
    default:
      return "left open";
  }
}
