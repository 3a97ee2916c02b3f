import { existsSync } from "node:fs";
import { type Credential, hintOf } from "@curlew/gateway/account/credential.js";
import { findCredential } from "@curlew/gateway/account/find-credential.js";
import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Trouble } from "@curlew/page/access/contract.js";
import { ownStore } from "../../app/prepare/own-files.js";
import { StartError } from "../../app/prepare/start-error.js";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { version } from "../../app/version.js";
import { withGateway } from "../../app/with-gateway.js";
import type { LoadedSettings } from "../../config/load.js";
import type { Settings } from "../../config/settings.js";
import type { Output } from "../../terminal/command-machine.js";
import { readConduct } from "./conduct.js";

/** Generous timeout: a busy gateway answers slowly. */
const PROBE_TIMEOUT_MS = 5_000;
const NOT_LOGGED_IN =
  "The Cursor CLI is not logged in. Run cursor-agent login, or set CURSOR_API_KEY to a key of your account.";

export type StatusReport = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(loaded: LoadedSettings, stderr: Output) {
  const { settings, origins, configFile } = loaded;
  const { backend, routes, fallback, conduct, clientVersion } = settings;
  const [account, gateway, seen] = await Promise.all([
    checkAccount(settings, stderr),
    probeGateway(settings),
    readConduct(settings, new Date()),
  ]);
  return {
    version,
    configFile,
    hasConfigFile: existsSync(configFile),
    credential: await credentialOf(loaded),
    keptFor: await keptForAnother(settings),
    ...account,
    backend,
    routes,
    fallback,
    conduct,
    backendUrl: backend === "simulator" ? null : settings.backendUrl,
    clientVersion,
    // Null if it is built in.
    clientVersionFrom: origins.clientVersion ?? null,
    gateway,
    ...seen,
  };
}

const kindNames: Readonly<Record<Credential["kind"], string>> = {
  "api-key": "API key",
  session: "session",
  "access-token": "access token",
  unusable: "unusable credential",
};

async function credentialOf({ settings, origins }: LoadedSettings) {
  const found = await findCredential({ ...settings, store: ownStore(settings) });
  if (found === undefined) return null;
  const { credential, from, email, expiresMs } = found;
  const given = { CURSOR_API_KEY: origins.apiKey, CURSOR_AUTH_TOKEN: origins.authToken };
  return {
    kind: kindNames[credential.kind],
    from: Object.entries(given).find(([name]) => name === from)?.[1] ?? from,
    hint: hintOf(credential),
    email: email ?? null,
    expires: expiresMs === undefined ? null : new Date(expiresMs).toISOString(),
  };
}

/** The server of a stored credential that is not used here: credentials are only sent to their own server. */
async function keptForAnother(settings: Settings): Promise<string | null> {
  const lookup = await ownStore(settings).read();
  if (lookup.state !== "kept" || lookup.kept.backendUrl === settings.backendUrl) return null;
  return lookup.kept.backendUrl;
}

async function checkAccount(settings: Settings, stderr: Output) {
  const fails = (auth: "not_authenticated" | "unknown", problem: string) => {
    const troubles: readonly Trouble[] = [];
    return { auth, tokenExpires: null, models: null, problem, troubles };
  };
  try {
    return await withGateway(settings, stderr, async ({ gateway, tokens, checkLogin, troubles }) => {
      const models = await gateway.models(AbortSignal.timeout(settings.authCheckTimeoutMs), { isFresh: true });
      // Some builds of the CLI list their models without any login.
      if ((await checkLogin()) === "not_authenticated") return fails("not_authenticated", NOT_LOGGED_IN);
      const { expiresMs } = tokens;
      const tokenExpires = expiresMs === undefined ? null : new Date(expiresMs).toISOString();
      const auth = "authenticated" as const;
      return { auth, tokenExpires, models: models.length, problem: null, troubles: (await troubles()).troubles };
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      return fails(thrown.kind === "authentication" ? "not_authenticated" : "unknown", thrown.message);
    }
    if (thrown instanceof StartError) return fails("not_authenticated", thrown.message.replaceAll("\n", " "));
    throw thrown;
  }
}

async function probeGateway({ host, port }: Settings) {
  const url = localUrl(host, port);
  const running = await runningGateway(url, PROBE_TIMEOUT_MS);
  if (running === undefined) return { url, isRunning: false };
  // The state of its backends by name: ok, unknown, or the code of the newest error.
  const fared = Object.entries(running.backends).map(([name, { state, lastError }]): [string, string] => [
    name,
    state === "failing" ? (lastError?.code ?? state) : state,
  ]);
  const { version, backend, conduct, updated } = running;
  return { url, isRunning: true, version, backend, conduct, updated, backends: Object.fromEntries(fared) };
}
