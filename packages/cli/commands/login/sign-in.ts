import { execFile } from "node:child_process";
import { hostname } from "node:os";
import { expiryMs } from "@curlew/gateway/account/claims.js";
import { isJwt } from "@curlew/gateway/account/credential.js";
import { findForeign, foreignLocations, type RunProgram } from "@curlew/gateway/account/import/find-foreign.js";
import { cursorLocations } from "@curlew/gateway/account/import/locations.js";
import { awaitSession, createHandshake } from "@curlew/gateway/account/login/await-session.js";
import { exchangeKey } from "@curlew/gateway/account/sign-in.js";
import type { KeptCredential } from "@curlew/gateway/account/stores/own-store.js";
import { accountEmail, isTokenRefused, mintKey } from "@curlew/gateway/backends/cursor/account-calls.js";
import { createNetwork } from "@curlew/gateway/network/index.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { ownStore } from "../../app/prepare/own-files.js";
import { claimedClients } from "../../config/client-version.js";
import type { Settings } from "../../config/settings.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";
import { openBrowser } from "../../terminal/programs.js";
import { askConsent, askSecret } from "../../terminal/prompts.js";
import { startSpinner } from "../../terminal/spinner.js";
import { type StoredCredential, storedCredential } from "./stored-credential.js";

export type SignInWay =
  | { readonly by: "browser"; readonly opensBrowser: boolean }
  | { readonly by: "api-key" }
  /** `hasConsent`: the user need not be asked. */
  | { readonly by: "import"; readonly hasConsent: boolean };

/** Signs in, and stores the credential once Cursor has accepted it. Ctrl-C cancels it without storing anything. */
export async function signIn(machine: CommandMachine, settings: Settings, way: SignInWay): Promise<StoredCredential> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  machine.events.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    const store = ownStore(settings);
    const former = await formerCredential(settings);
    const kept = await logIn(machine, settings, way, stop.signal);
    const keptIn = await store.write(kept).catch((thrown: unknown) => {
      throw new CommandFailure(1, `The credential could not be stored: ${reasonOf(thrown)}`);
    });
    return shownOn(machine.stdout, storedCredential({ kept, keptIn, file: store.file, former }, settings));
  } finally {
    machine.events.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** The credential that a sign-in would replace, even one for another server. */
export async function formerCredential(settings: Settings): Promise<KeptCredential | undefined> {
  const lookup = await ownStore(settings).read();
  return lookup.state === "kept" ? lookup.kept : undefined;
}

function logIn(
  machine: CommandMachine,
  settings: Settings,
  way: SignInWay,
  signal: AbortSignal,
): Promise<KeptCredential> {
  const { backendUrl, websiteUrl } = settings;
  const { userAgent } = claimedClients(settings.clientVersion, settings.profile).agent;
  const deps = { backendUrl, userAgent, network: createNetwork(settings), signal, machine };
  switch (way.by) {
    case "browser":
      return logInByBrowser(deps, websiteUrl, way.opensBrowser);
    case "api-key":
      return logInByKey(deps);
    case "import":
      return logInByImport(deps, way.hasConsent);
  }
}

async function logInByKey(deps: LoginDeps): Promise<KeptCredential> {
  const apiKey = await askSecret(deps.machine, "Your Cursor API key");
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

/** The same lifetime as the keys that Cursor's own SDK makes. */
const KEY_LIFE_MS = 90 * 24 * 60 * 60_000;

interface LoginDeps extends Omit<Parameters<typeof accountEmail>[0], "token"> {
  readonly machine: CommandMachine;
}

/** Uses the browser's session once, to make a key. The session itself is stored only if no key can be made. */
async function logInByBrowser(deps: LoginDeps, websiteUrl: string, opensBrowser: boolean): Promise<KeptCredential> {
  const { backendUrl, network, signal, machine } = deps;
  const { clock } = machine;
  const handshake = createHandshake(websiteUrl);
  let stopSpinner = startSpinner(machine, "Asking Cursor");
  // Shows the address only once Cursor is reachable.
  const onReached = async () => {
    stopSpinner();
    machine.stderr.write(`Sign in to Cursor in your browser:\n  ${handshake.url}\n`);
    if (opensBrowser && !(await openBrowser(handshake.url, machine))) {
      machine.stderr.write("No browser could be opened here; open the address yourself, on any machine.\n");
    }
    stopSpinner = startSpinner(machine, "Waiting for you in the browser (Ctrl-C to cancel)");
  };
  try {
    const session = await awaitSession({ handshake, backendUrl, network, clock, signal, onReached });
    const account = { ...deps, token: session.accessToken };
    const createdMs = Date.now();
    const expiresMs = createdMs + KEY_LIFE_MS;
    const apiKey = await mintKey({ name: `Curlew on ${hostname()}`, expiresMs }, account);
    const kept = { backendUrl, origin: "made by curlew login", createdMs, email: await accountEmail(account) };
    if (apiKey !== undefined) return { ...kept, secret: { kind: "api-key", apiKey }, expiresMs };
    return {
      ...kept,
      secret: { kind: "session", ...session, canRenew: false },
      expiresMs: expiryMs(session.accessToken),
    };
  } finally {
    stopSpinner();
  }
}

/** Copies the credential of one of Cursor's own programs. Their stores are read, never written. */
async function logInByImport(deps: LoginDeps, hasConsent: boolean): Promise<KeptCredential> {
  const { backendUrl, machine } = deps;
  const locations = foreignLocations(cursorLocations(machine), runnerIn(machine), Date.now());
  if (locations.length === 0) {
    throw new CommandFailure(1, "None of Cursor's own programs is signed in here. Run: curlew login");
  }
  if (!hasConsent) {
    const list = locations.map(({ name, what }) => `  ${name}: ${what}`).join("\n");
    machine.stderr.write(`Curlew would read these, without changing them, until it finds a credential:\n${list}\n`);
    if (!(await askConsent(machine, "Read them and keep a copy of the credential?"))) {
      throw new CommandFailure(1, "Nothing was read. To allow it without being asked: curlew login --import --yes");
    }
  }
  const { found, reasons } = await findForeign(locations, backendUrl);
  if (found === undefined) {
    throw new CommandFailure(1, `No credential could be copied.\n${reasons.join("\n")}\nRun: curlew login`);
  }
  const { location, credential } = found;
  const { secret, expiresMs } = credential;
  const fix = "Run: curlew login";
  const token =
    secret.kind === "api-key"
      ? await exchangeKey(secret.apiKey, { ...deps, found: { from: location.name, fix } })
      : secret.accessToken;
  if (await isTokenRefused({ ...deps, token })) {
    throw new CommandFailure(1, `Cursor refuses the login of ${location.name} (${location.what}). ${fix}`);
  }
  const email = credential.email ?? (await accountEmail({ ...deps, token }));
  return { secret, backendUrl, origin: `from ${location.name}`, email, expiresMs, createdMs: Date.now() };
}

/** Where an import may find a login. macOS always has a Keychain, but it has a login only if the CLI was used. */
export function foreignNames(machine: Machine, hasCli: boolean): string[] {
  const locations = cursorLocations(machine);
  const hasKeychain = locations.hasKeychain && hasCli;
  return [
    ...new Set(foreignLocations({ ...locations, hasKeychain }, runnerIn(machine), Date.now()).map(({ name }) => name)),
  ];
}

function runnerIn({ env }: Machine): RunProgram {
  return (program, args) =>
    new Promise((resolve) => {
      const child = execFile(program, [...args], { env }, (_, stdout) => resolve({ code: child.exitCode, stdout }));
    });
}
