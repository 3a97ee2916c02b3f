import { hostname } from "node:os";
import { expiryMs } from "../../auth/claims.js";
import { awaitSession, createHandshake } from "../../auth/login/await-session.js";
import type { KeptCredential } from "../../auth/stores/kept-credential.js";
import { accountEmail, mintKey } from "../../backends/cursor/account-calls.js";
import { systemClock } from "../../clock.js";
import type { Network } from "../../network/index.js";
import { openBrowser } from "../terminal/open-browser.js";
import { startSpinner } from "../terminal/spinner.js";

/** The same lifetime as the keys that Cursor's own SDK makes. */
const KEY_LIFE_MS = 90 * 24 * 60 * 60_000;

export interface LoginDeps {
  readonly backendUrl: string;
  readonly userAgent: string;
  readonly network: Network;
  readonly signal: AbortSignal;
}

interface BrowserLogin extends LoginDeps {
  readonly websiteUrl: string;
  readonly platform: NodeJS.Platform;
  readonly opensBrowser: boolean;
}

/**
 * Uses the browser's session once, to make a key. The session itself is stored only if no key can be made.
 *
 * @throws {GatewayError} Cursor denies the login, or cannot be reached.
 */
export async function logInByBrowser(login: BrowserLogin): Promise<KeptCredential> {
  const { backendUrl, userAgent, network, websiteUrl, platform, opensBrowser, signal } = login;
  const handshake = createHandshake(websiteUrl);
  let stopSpinner = startSpinner("Asking Cursor", process.stderr);
  // An address that leads nowhere is not shown.
  const onReached = async () => {
    stopSpinner();
    process.stderr.write(`Sign in to Cursor in your browser:\n  ${handshake.url}\n`);
    if (opensBrowser && !(await openBrowser(handshake.url, platform))) {
      process.stderr.write("No browser could be opened here; open the address yourself, on any machine.\n");
    }
    stopSpinner = startSpinner("Waiting for you in the browser (Ctrl-C to cancel)", process.stderr);
  };
  try {
    const session = await awaitSession({ handshake, backendUrl, network, clock: systemClock, signal, onReached });
    const account = { backendUrl, userAgent, network, token: session.accessToken, signal };
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
