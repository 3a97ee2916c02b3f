import { ownStore } from "../app/prepare/own-files.js";
import { isJwt, masked, secretsOf } from "../auth/credential.js";
import { exchangeKey } from "../auth/sign-in.js";
import type { KeptCredential } from "../auth/stores/kept-credential.js";
import { accountEmail } from "../backends/cursor/account-calls.js";
import { claimedClients } from "../config/client-version.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { thisMachine } from "../config/machine.js";
import type { Settings } from "../config/settings.js";
import { createNetwork } from "../network/index.js";
import { shownOn } from "../shown-on.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { type LoginDeps, logInByBrowser } from "./login/login-by-browser.js";
import { logInByImport } from "./login/login-by-import.js";
import { askSecret } from "./terminal/prompts.js";

const loginSettings = ["backendUrl", "websiteUrl", "credentialStore"] as const;

export const login = defineCommand({
  args: {
    "api-key": { type: "boolean", description: "Store an API key, read from a prompt or from stdin" },
    import: { type: "boolean", description: "Copy the login of Cursor's CLI, SDK or editor; asks first" },
    yes: { type: "boolean", description: "With --import: do not ask" },
    "no-browser": { type: "boolean", description: "Only print the address to open (NO_OPEN_BROWSER=1)" },
    json: { type: "boolean", description: "Print what was stored as JSON" },
    ...settingArgs(loginSettings),
  },
  async run({ args, rawArgs }) {
    const { settings } = loadFrom(args, loginSettings);
    if (args["api-key"] && args.import) throw new CommandFailure(2, "Use either --api-key or --import.");
    const machine = thisMachine();
    const { backendUrl, websiteUrl } = settings;
    const stop = new AbortController();
    const onSignal = () => stop.abort();
    process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
    const { userAgent } = claimedClients(settings.clientVersion, settings.profile).agent;
    const deps = { backendUrl, userAgent, network: createNetwork(settings), signal: stop.signal };
    const logIn = async () => {
      if (args["api-key"]) return logInByKey(await askSecret("Your Cursor API key"), deps);
      if (args.import) return logInByImport({ ...deps, machine, hasConsent: args.yes === true });
      const opensBrowser = !rawArgs.includes("--no-browser") && !machine.env.NO_OPEN_BROWSER;
      return logInByBrowser({ ...deps, websiteUrl, platform: machine.platform, opensBrowser });
    };
    try {
      const kept = await logIn();
      const store = ownStore(settings);
      const keptIn = await store.write(kept).catch((thrown: unknown) => {
        throw new CommandFailure(
          1,
          `The credential could not be stored: ${thrown instanceof Error ? thrown.message : thrown}`,
        );
      });
      const stored = shownOn(process.stdout, toJson(kept, keptIn, store.file));
      process.stdout.write(args.json ? `${JSON.stringify(stored, null, 2)}\n` : describe(stored, overrides(settings)));
    } finally {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    }
  },
});

/** Stores a key only after Cursor has accepted it. */
async function logInByKey(apiKey: string, deps: LoginDeps): Promise<KeptCredential> {
  if (apiKey === "") throw new CommandFailure(2, "No API key was given. Pipe it in, or answer the prompt.");
  if (isJwt(apiKey)) throw new CommandFailure(2, "That is an access token, not an API key (crsr_...).");
  if (!/^[!-~]+$/.test(apiKey)) throw new CommandFailure(2, "An API key is one line without spaces.");
  const fix = "Make a new one in Cursor's dashboard.";
  const token = await exchangeKey(apiKey, { ...deps, found: { from: "your input", fix } });
  const email = await accountEmail({ ...deps, token });
  return {
    secret: { kind: "api-key", apiKey },
    backendUrl: deps.backendUrl,
    origin: "given by you",
    email,
    createdMs: Date.now(),
  };
}

function toJson({ secret, email, expiresMs }: KeptCredential, keptIn: "keychain" | "file", file: string) {
  const expires = expiresMs === undefined ? null : new Date(expiresMs).toISOString();
  // Whether Curlew extends it beyond that date while it is in use.
  const renews = secret.kind === "session" && secret.canRenew;
  const hint = masked(secretsOf(secret)[0] ?? "");
  return { kind: secret.kind, email: email ?? null, hint, expires, renews, place: keptIn, file };
}

function describe(
  { kind, email, hint, expires, renews, place, file }: ReturnType<typeof toJson>,
  overriding: string | undefined,
): string {
  const { green, yellow } = colorsFor(process.stdout);
  const what = kind === "api-key" ? `API key ${hint}` : "session";
  const until = expires === null ? "" : `, good until ${expires.slice(0, 10)}`;
  const where = place === "keychain" ? "in the system's keychain" : `in ${file}`;
  const lines = [green(`Signed in${email === null ? "" : ` as ${email}`}.`), `The ${what} is kept ${where}${until}.`];
  if (kind === "session" && !renews)
    lines.push("A session like this cannot be renewed: when it ends, run curlew login.");
  if (overriding !== undefined) lines.push(yellow(`${overriding} is set and is used instead of it.`));
  return `${lines.join("\n")}\n`;
}

function overrides({ apiKey, authToken }: Pick<Settings, "apiKey" | "authToken">) {
  if (apiKey !== undefined) return "CURSOR_API_KEY";
  return authToken === undefined ? undefined : "CURSOR_AUTH_TOKEN";
}
