import type { ComposedGateway } from "../../app/compose.js";
import { commandCalls, type SignedCalls } from "../../backends/cursor/signed-calls.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import { GatewayError } from "../../turn/error.js";
import { howSoon } from "../terminal/how-soon.js";
import { clockAheadMs, judgeClock } from "./check-clock.js";
import { checkHttp2 } from "./check-http2.js";
import { type Finding, fail, ok, reasonOf, skipped, warn } from "./finding.js";

const CALL_TIMEOUT_MS = 20_000;
const DAY_MS = 24 * 60 * 60_000;

type ServerConfig = Awaited<ReturnType<ComposedGateway["serverConfig"]>>;
type Composed = Pick<ComposedGateway, "gateway" | "tokens" | "upstream" | "serverConfig" | "network">;

/** Checks everything that only Cursor knows, and yields each finding at once. */
export async function* checkAccount(composed: Composed, loaded: LoadedSettings): AsyncGenerator<Finding> {
  const { settings } = loaded;
  const { upstream, gateway, tokens, network } = composed;
  const { origin } = new URL(upstream.backendUrl);
  yield await clockAheadMs(origin, { now: Date.now, network }).then(
    (aheadMs) => judgeClock(aheadMs, process.platform),
    () => fail("clock", `${origin} cannot be reached.`, `curl -v ${origin}`),
  );
  const token = await checkToken(composed, settings);
  yield token;
  if (token.status === "fail") {
    yield skipped("client version", "Needs a token.");
    yield skipped("models", "Needs a token.");
  } else {
    const calls = commandCalls({ tokens, network, ...upstream });
    const version = await checkVersion(calls, upstream.clientVersion, loaded);
    yield version;
    if (version.status === "fail") yield skipped("models", "Needs a client version that Cursor accepts.");
    else {
      yield await checkModels(gateway);
      yield* judgeServerConfig(await composed.serverConfig(AbortSignal.timeout(CALL_TIMEOUT_MS)), settings);
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
  if (leftMs <= 0) return fail("token", `It ended ${end}.`, fix);
  // A renewed token has just been fetched; a fixed one stays unchecked until it is used.
  const isFixed = tokens.state === "unchecked";
  if (isFixed && leftMs < DAY_MS) return warn("token", `It ends ${end} and is not renewed.`, fix);
  return ok("token", `Ends ${end}${isFixed ? "" : " and is renewed automatically"}.`);
}

function signInAgain({ apiKey, authToken }: Settings): string {
  const variable = apiKey !== undefined ? "CURSOR_API_KEY" : authToken !== undefined ? "CURSOR_AUTH_TOKEN" : undefined;
  return variable === undefined ? "curlew login" : `unset ${variable} && curlew login`;
}

async function checkVersion(
  calls: SignedCalls,
  clientVersion: string,
  { origins: { clientVersion: origin }, overlay }: LoadedSettings,
): Promise<Finding> {
  const method = "aiserver.v1.ServerConfigService/GetServerConfig";
  try {
    await calls.callInJson(method, {}, AbortSignal.timeout(CALL_TIMEOUT_MS));
    return ok("client version", `Cursor accepts ${clientVersion}.`);
  } catch (thrown) {
    const error = GatewayError.from(thrown);
    if (error.code === "client_outdated") {
      const fix = versionFix(origin, overlay);
      return fail("client version", `Cursor no longer accepts ${clientVersion}.`, fix);
    }
    if (error.kind === "authentication") return fail("client version", reasonOf(error), "curlew login");
    return warn("client version", `Cursor does not say whether it accepts ${clientVersion}: ${reasonOf(error)}`);
  }
}

/** A version is replaced where it comes from: the CLI, a setting, or what Curlew knows about Cursor. */
function versionFix(origin: string | undefined, overlay: LoadedSettings["overlay"]): string {
  if (origin === undefined || origin === overlay?.path) return "curlew doctor --update-profile";
  if (origin.startsWith("the Cursor CLI")) return "cursor-agent update";
  return 'export CURSOR_CLIENT_VERSION="cli-$(cursor-agent --version)"';
}

/** Asks through the backend that turns take. */
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

function* judgeServerConfig(
  { isPrivacyKnown, ghostMode, http2 }: ServerConfig,
  { transport }: Settings,
): Generator<Finding> {
  const mode = ghostMode ? "Privacy mode is on." : "Privacy mode is off: Cursor may learn from what you send.";
  yield isPrivacyKnown
    ? ok("privacy", mode)
    : warn("privacy", "Cursor does not report the account's privacy mode; Curlew assumes that it is on.");
  if (http2 === "advised against") {
    yield transport === "h2"
      ? warn("transport", "Cursor advises HTTP/1.1 for this account, and HTTP/2 is set.", "unset CURLEW_TRANSPORT")
      : ok("transport", "Cursor advises HTTP/1.1 for this account, and runs go over it.");
  }
}

function checkAgentHost({ agentUrl, backendUrl }: Composed["upstream"], isSet: boolean): Finding {
  const { origin } = new URL(agentUrl);
  const isSame = origin === new URL(backendUrl).origin;
  return ok("agent host", `${origin}, ${isSet ? "as set" : isSame ? "where all calls go" : "as Cursor says"}.`);
}
