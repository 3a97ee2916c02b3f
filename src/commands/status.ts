import { ownStore } from "../app/prepare/own-files.js";
import { StartError } from "../app/prepare/start-error.js";
import { runningGateway } from "../app/running-gateway.js";
import { localUrl } from "../app/start/listen.js";
import { withGateway } from "../app/with-gateway.js";
import { type Credential, masked, secretsOf } from "../auth/credential.js";
import { findCredential } from "../auth/find-credential.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { LoadedSettings } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { shownOn } from "../shown-on.js";
import { GatewayError } from "../turn/error.js";
import { version } from "../version.js";
import { colorsFor } from "./line/colors.js";
import { defineCommand } from "./line/definition.js";
import { listing, type Row } from "./terminal/table.js";

/** A program that listens there may be busy; if none listens, the answer comes at once. */
const PROBE_TIMEOUT_MS = 5_000;
const NOT_LOGGED_IN =
  "The Cursor CLI is not logged in. Run cursor-agent login, or set CURSOR_API_KEY to a key of your account.";
const statusSettings = [...upstreamSettings, "host", "port", "authCheckTimeoutMs"] as const;

export const status = defineCommand({
  args: {
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(statusSettings),
  },
  /** The exit code is 0 if Cursor accepts the credential. */
  async run({ args }) {
    const report = shownOn(process.stdout, await readStatus(loadFrom(args, statusSettings)));
    process.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
    return report.auth === "authenticated" ? 0 : 1;
  },
});

async function readStatus(loaded: LoadedSettings) {
  const { settings, origins, configFile } = loaded;
  const { backend, routes, fallback, conduct, clientVersion } = settings;
  const [account, gateway] = await Promise.all([checkAccount(settings), probeGateway(settings)]);
  return {
    version,
    configFile,
    credential: await credentialOf(loaded),
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
  };
}

interface AccountStatus {
  readonly auth: "authenticated" | "not_authenticated" | "unknown";
  readonly tokenExpires: string | null;
  readonly models: number | null;
  /** Why it is not authenticated, and what to do. */
  readonly problem: string | null;
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
    // The hint is enough to distinguish two keys, and too little to use one.
    hint: masked(secretsOf(credential)[0] ?? ""),
    email: email ?? null,
    expires: expiresMs === undefined ? null : new Date(expiresMs).toISOString(),
  };
}

async function checkAccount(settings: Settings): Promise<AccountStatus> {
  const fails = (auth: AccountStatus["auth"], problem: string): AccountStatus => {
    return { auth, tokenExpires: null, models: null, problem };
  };
  try {
    return await withGateway(settings, async ({ gateway, tokens, checkLogin }) => {
      const models = await gateway.models(AbortSignal.timeout(settings.authCheckTimeoutMs), { isFresh: true });
      // Some builds of the CLI list their models without any login.
      if ((await checkLogin()) === "not_authenticated") return fails("not_authenticated", NOT_LOGGED_IN);
      const { expiresMs } = tokens;
      const tokenExpires = expiresMs === undefined ? null : new Date(expiresMs).toISOString();
      return { auth: "authenticated", tokenExpires, models: models.length, problem: null };
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
  const { version, backend, conduct } = running;
  return { url, isRunning: true, version, backend, conduct, backends: Object.fromEntries(fared) };
}

function describeRunning({ backend, conduct }: { backend?: string; conduct?: string }): string {
  return conduct === "careful" ? `${backend}, careful conduct` : `${backend}`;
}

function describe(report: Awaited<ReturnType<typeof readStatus>>): string {
  const { dim, green, red } = colorsFor(process.stdout);
  const { credential, gateway } = report;
  const isFine = report.auth === "authenticated";
  const rows: Row[] = [
    ["curlew", report.version],
    ["credential", credential === null ? "none" : `${credential.kind} ${credential.hint} from ${credential.from}`],
    ["account", credential?.email ?? null],
    ["good until", credential?.expires ?? null],
    ["check", (isFine ? green : red)(isFine ? `passed, ${report.models} models` : (report.problem ?? report.auth))],
    ["token until", report.tokenExpires],
    ["backend", `${report.backend}, ${report.backendUrl ?? "built in"}`],
    ...Object.entries(report.routes).map(([model, name]): [string, string] => ["route", `${model} to ${name}`]),
    ["fallback", report.fallback.join(", ") || null],
    ["conduct", report.conduct === "careful" ? report.conduct : null],
    ["client", `${report.clientVersion}, ${report.clientVersionFrom ?? "built in"}`],
    [
      "gateway",
      gateway.isRunning
        ? `${gateway.version} runs at ${gateway.url} (${describeRunning(gateway)})`
        : `none at ${gateway.url}`,
    ],
    ...Object.entries(gateway.backends ?? {}).map(([name, state]): [string, string] => [`  ${name}`, state]),
    ["settings", report.configFile],
  ];
  return listing(rows, { minWidth: 11, dim });
}
