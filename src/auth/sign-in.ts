import { ask, blockedNetwork, isWebPage, type Network } from "../network/index.js";
import { GatewayError } from "../turn/error.js";
import { parseJson } from "../turn/read-json.js";

const TIMEOUT_MS = 20_000;

/** What an answer of Cursor's sign-in held. */
export interface SignInAnswer {
  readonly status: number;
  /** The JSON, if it was any. */
  readonly body: unknown;
  readonly text: string;
  /** Whether something in front of Cursor answered: that is no word on the credential. */
  readonly isWebPage: boolean;
}

/** Sends JSON to Cursor's sign-in. Only a network that fails throws. */
export async function askSignIn(
  network: Pick<Network, "fetch">,
  url: URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<SignInAnswer> {
  const {
    status,
    header,
    body: bytes,
  } = await ask(network, url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = bytes.toString("utf8");
  return { status, text, body: parseJson(text), isWebPage: isWebPage(header("content-type"), text) };
}

/** What is no word of Cursor's on the credential: it may work the next time. */
export function passingTrouble({ status, isWebPage }: SignInAnswer): GatewayError {
  if (isWebPage) return blockedNetwork(status).with({ isRetryable: true });
  if (status === 429) {
    const message = "Cursor asks to sign in less often. Wait a moment.";
    return new GatewayError("rate_limit_exceeded", message, { isRetryable: true });
  }
  const how = status === 200 ? "without a token" : `with HTTP status ${status}`;
  return new GatewayError("upstream_error", `Cursor's sign-in answered ${how}. Try again.`, { isRetryable: true });
}
