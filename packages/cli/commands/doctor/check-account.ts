import { connect } from "node:http2";
import type { ClaimedClient } from "@curlew/gateway/backends/backend-parts.js";
import { commandCalls, type SignedCalls } from "@curlew/gateway/backends/cursor/signed-calls.js";
import { type RegisteredBackend, registry } from "@curlew/gateway/backends/registry.js";
import type { Network } from "@curlew/gateway/network/index.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { ComposedGateway } from "../../app/compose.js";
import { signInAgain } from "../../app/prepare/own-files.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import { howSoon } from "../../terminal/moments.js";
import { type Finding, fail, ok, reasonOf, skipped, warn } from "./finding.js";

const CALL_TIMEOUT_MS = 20_000;
const PROBE_TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

type ServerConfig = Awaited<ReturnType<ComposedGateway["serverConfig"]>>;
type Composed = Pick<ComposedGateway, "gateway" | "tokens" | "upstream" | "serverConfig" | "network">;

export async function* checkAccount(composed: Composed, loaded: LoadedSettings): AsyncGenerator<Finding> {
  const { settings } = loaded;
  const { upstream, gateway, tokens, network } = composed;
  const { origin } = new URL(upstream.backendUrl);
  yield await clockAheadMs(origin, network).then(
    (aheadMs) => judgeClock(aheadMs, settings.machine.platform),
    () => fail("clock", `${origin} cannot be reached.`, `curl -v ${origin}`),
  );
  const token = await checkToken(composed, settings);
  yield token;
  if (token.status === "fail") {
    yield skipped("client version", "No usable token.");
    yield skipped("models", "No usable token.");
  } else {
    const calls = commandCalls({ tokens, network, ...upstream });
    const version = await checkVersion(calls, upstream.client, loaded);
    yield version;
    if (version.status === "fail") yield skipped("models", "Needs a client version that Cursor accepts.");
    else {
      yield await checkModels(gateway);
      yield* judgeServerConfig(await composed.serverConfig(AbortSignal.timeout(CALL_TIMEOUT_MS)), settings.transport);
    }
  }
  yield checkAgentHost(upstream, settings.agentUrl !== undefined);
  yield await checkHttp2(upstream.agentUrl, network);
}

async function checkToken({ tokens }: Composed, settings: Settings): Promise<Finding> {
  const fix = signInAgain(settings);
  try {
    await tokens.get(AbortSignal.timeout(CALL_TIMEOUT_MS));
  } catch (thrown) {
    const isNetwork = thrown instanceof GatewayError && thrown.kind !== "authentication";
    return fail("token", reasonOf(thrown), isNetwork ? `curl -v ${settings.backendUrl}` : fix);
  }
  const { expiresMs } = tokens;
  if (expiresMs === undefined) return warn("token", "Its expiry is unknown.");
  const nowMs = Date.now();
  const leftMs = expiresMs - nowMs;
  const end = howSoon(expiresMs, nowMs);
  if (leftMs <= 0) return fail("token", `It expired ${end}.`, fix);
  // A renewed token has just been fetched; a fixed one stays unchecked until it is used.
  const isFixed = tokens.state === "unchecked";
  if (isFixed && leftMs < DAY_MS) return warn("token", `It expires ${end} and is not renewed.`, fix);
  return ok("token", `Expires ${end}${isFixed ? "" : " and is renewed automatically"}.`);
}

async function checkVersion(calls: SignedCalls, client: ClaimedClient, loaded: LoadedSettings): Promise<Finding> {
  const { version: clientVersion } = client;
  const method = "aiserver.v1.ServerConfigService/GetServerConfig";
  try {
    await calls.callInJson(method, {}, AbortSignal.timeout(CALL_TIMEOUT_MS));
    if (client.version === clientVersion) return ok("client version", `Cursor accepts ${clientVersion}.`);
    const why = `Cursor no longer accepts ${clientVersion}. It accepts ${client.version}, which Curlew then claims.`;
    return warn("client version", why, versionFix(loaded));
  } catch (thrown) {
    const error = GatewayError.from(thrown);
    if (error.code === "client_outdated") {
      const refused = [...new Set([clientVersion, client.version])].join(" or ");
      return fail("client version", `Cursor no longer accepts ${refused}.`, versionFix(loaded));
    }
    if (error.kind === "authentication") return fail("client version", reasonOf(error), signInAgain(loaded.settings));
    return warn("client version", `Cursor does not say whether it accepts ${clientVersion}: ${reasonOf(error)}`);
  }
}

/** The fix depends on where the version comes from: the CLI, a setting or the profile. */
function versionFix({ origins: { clientVersion: origin }, overlay }: LoadedSettings): string {
  if (origin === undefined || origin === overlay?.path) return "curlew doctor --update-profile";
  if (origin.startsWith("the Cursor CLI")) return "cursor-agent update";
  return 'export CURSOR_CLIENT_VERSION="cli-$(cursor-agent --version)"';
}

export async function checkModels(gateway: ComposedGateway["gateway"]): Promise<Finding> {
  try {
    const models = await gateway.models(AbortSignal.timeout(CALL_TIMEOUT_MS), { isFresh: true });
    return models.length > 0
      ? ok("models", `${models.length} available.`)
      : fail("models", "The list is empty.", "curlew login");
  } catch (thrown) {
    return fail("models", reasonOf(thrown), "curlew models");
  }
}

function* judgeServerConfig({ isPrivacyKnown, ghostMode, http2 }: ServerConfig, transport: string): Generator<Finding> {
  const mode = ghostMode ? "Privacy mode is on." : "Privacy mode is off: Cursor may learn from what you send.";
  yield isPrivacyKnown
    ? ok("privacy", mode)
    : warn("privacy", "Cursor does not report the account's privacy mode; Curlew assumes that it is on.");
  if (http2 === "advised against") {
    yield transport === "h2"
      ? warn("transport", "Cursor advises HTTP/1.1 for this account, and HTTP/2 is set.", "unset CURLEW_TRANSPORT")
      : ok("transport", "Cursor advises HTTP/1.1 for this account, and runs use it.");
  }
}

function checkAgentHost({ agentUrl, backendUrl }: Composed["upstream"], isSet: boolean): Finding {
  const { origin } = new URL(agentUrl);
  const isSame = origin === new URL(backendUrl).origin;
  return ok("agent host", `${origin}, ${isSet ? "as set" : isSame ? "where all calls go" : "as Cursor says"}.`);
}

/** Tokens are renewed five minutes before they expire, so with a clock error of that size every token looks expired. */
const HARMFUL_MS = 300_000;
const NOTABLE_MS = 30_000;

const clockFixes: Partial<Record<NodeJS.Platform, string>> = {
  darwin: "sudo sntp -sS time.apple.com",
  win32: "w32tm /resync",
};

/** How far the server's clock is ahead of ours, by the Date header of any answer; undefined if there is none. */
async function clockAheadMs(url: string, network: Network): Promise<number | undefined> {
  const sentMs = Date.now();
  const { header } = await network.fetch(new URL("/", url), { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  const serverMs = Date.parse(header("date"));
  // The header counts whole seconds, so on average it is half a second behind.
  return Number.isNaN(serverMs) ? undefined : serverMs + 500 - (sentMs + Date.now()) / 2;
}

export function judgeClock(aheadMs: number | undefined, platform: NodeJS.Platform): Finding {
  if (aheadMs === undefined) return skipped("clock", "Cursor's answer has no date.");
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds * 1_000 < NOTABLE_MS) return ok("clock", `Within ${Math.max(1, seconds)} s of Cursor's.`);
  const why = `This machine's clock is ${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} Cursor's.`;
  const fix = clockFixes[platform] ?? "sudo timedatectl set-ntp true";
  return seconds * 1_000 < HARMFUL_MS ? warn("clock", why, fix) : fail("clock", why, fix);
}

export async function checkHttp2(agentUrl: string, network: Pick<Network, "dial">): Promise<Finding> {
  const { origin } = new URL(agentUrl);
  try {
    const { pingMs, maxStreams } = await exchangePing(origin, network);
    const streams = maxStreams === undefined ? "" : `, ${maxStreams} streams at once`;
    return ok("http/2", `${origin} answers a PING in ${Math.max(1, Math.round(pingMs))} ms${streams}.`);
  } catch (thrown) {
    const why = `${origin} does not speak HTTP/2 here: ${reasonOf(thrown)}. A proxy in between may be the cause.`;
    return fail("http/2", why, `curl -v --http2 ${origin}`);
  }
}

async function exchangePing(origin: string, network: Pick<Network, "dial">) {
  const socket = await network.dial(new URL(origin), { alpn: ["h2"], signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  return new Promise<{ pingMs: number; maxStreams: number | undefined }>((resolve, reject) => {
    const session = connect(origin, { createConnection: () => socket });
    const timer = setTimeout(() => session.destroy(new Error("no answer in time")), PROBE_TIMEOUT_MS);
    session.once("error", reject);
    session.once("close", () => {
      clearTimeout(timer);
      reject(new Error("it closed the connection"));
    });
    session.once("remoteSettings", ({ maxConcurrentStreams }) => {
      session.ping((error, pingMs) => {
        if (error !== null) reject(error);
        // Node's value if the server sets no limit.
        else resolve({ pingMs, maxStreams: maxConcurrentStreams === 0xffffffff ? undefined : maxConcurrentStreams });
        session.close();
      });
    });
  });
}

/** Checks that the backends of turns have what they need on this machine; some need only the account. */
export async function* checkBackends(names: readonly RegisteredBackend[], settings: Settings): AsyncGenerator<Finding> {
  const parts = { settings, machine: settings.machine, clock: systemClock };
  for (const name of names) {
    const entry = registry[name];
    if ("ownLogin" in entry) {
      const report = await (await entry.ownLogin()).report(parts);
      yield report.isUsable ? ok(name, `${report.what}.`) : fail(name, reasonOf(report.why), report.fix);
    }
    if ("caveat" in entry) yield warn(name, entry.caveat, "curlew serve --backend agent");
  }
}
