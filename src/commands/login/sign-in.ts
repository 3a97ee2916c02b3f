import { ownStore } from "../../app/prepare/own-files.js";
import { isJwt } from "../../auth/credential.js";
import { exchangeKey } from "../../auth/sign-in.js";
import type { KeptCredential } from "../../auth/stores/kept-credential.js";
import { accountEmail } from "../../backends/cursor/account-calls.js";
import { claimedClients } from "../../config/client-version.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";
import { createNetwork } from "../../network/index.js";
import { shownOn } from "../../shown-on.js";
import { CommandFailure } from "../line/command-failure.js";
import { askSecret } from "../terminal/prompts.js";
import { type LoginDeps, logInByBrowser } from "./login-by-browser.js";
import { logInByImport } from "./login-by-import.js";
import { type StoredCredential, storedCredential } from "./stored-credential.js";

export type SignInWay =
  | { readonly by: "browser"; readonly opensBrowser: boolean }
  | { readonly by: "api-key" }
  /** `hasConsent`: the user need not be asked. */
  | { readonly by: "import"; readonly hasConsent: boolean };

/**
 * Signs in, and keeps the credential once Cursor has accepted it. Ctrl-C ends it with nothing kept.
 *
 * @throws {CommandFailure | GatewayError} Nothing was kept; the message says why.
 */
export async function signIn(settings: Settings, way: SignInWay): Promise<StoredCredential> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    const store = ownStore(settings);
    const former = await formerCredential(settings);
    const kept = await logIn(settings, way, stop.signal);
    const keptIn = await store.write(kept).catch((thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      throw new CommandFailure(1, `The credential could not be stored: ${why}`);
    });
    return shownOn(process.stdout, storedCredential({ kept, keptIn, file: store.file, former }, settings));
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

/** What a sign-in would replace, also where it belongs to another server. */
export async function formerCredential(settings: Settings): Promise<KeptCredential | undefined> {
  const lookup = await ownStore(settings).read();
  return lookup.state === "kept" ? lookup.kept : undefined;
}

function logIn(settings: Settings, way: SignInWay, signal: AbortSignal): Promise<KeptCredential> {
  const { backendUrl, websiteUrl } = settings;
  const machine = thisMachine();
  const { userAgent } = claimedClients(settings.clientVersion, settings.profile).agent;
  const deps = { backendUrl, userAgent, network: createNetwork(settings), signal };
  switch (way.by) {
    case "browser":
      return logInByBrowser({ ...deps, websiteUrl, platform: machine.platform, opensBrowser: way.opensBrowser });
    case "api-key":
      return logInByKey(deps);
    case "import":
      return logInByImport({ ...deps, machine, hasConsent: way.hasConsent });
  }
}

/** Returns a key only after Cursor has accepted it. */
async function logInByKey(deps: LoginDeps): Promise<KeptCredential> {
  const apiKey = await askSecret("Your Cursor API key");
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
