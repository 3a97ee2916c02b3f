import { type Network, whyUnreachable } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";

const TIMEOUT_MS = 20_000;

/** What an answer of Cursor's sign-in held. */
export interface SignInAnswer {
  readonly status: number;
  /** The JSON, if it was any. */
  readonly body: unknown;
  readonly text: string;
}

/** Sends JSON to Cursor's sign-in. Only a network that fails throws. */
export async function askCursor(
  network: Pick<Network, "fetch">,
  url: URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<SignInAnswer> {
  try {
    const response = await network.fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error", // the credential goes nowhere else
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, text, body: parse(text) };
  } catch (cause) {
    const message = `Cursor cannot be reached at ${url.origin} to sign in ${whyUnreachable(cause)}`;
    throw new GatewayError("upstream_unreachable", message, { cause, isRetryable: true });
  }
}

/** What is no word of Cursor's on the credential: it may work the next time. */
export function passingTrouble({ status, text }: SignInAnswer): GatewayError {
  if (isWebPage(text)) {
    const message = "Something between Curlew and Cursor blocks the sign-in.";
    return new GatewayError("upstream_error", message, { isRetryable: true });
  }
  if (status === 429) {
    const message = "Cursor asks to sign in less often. Wait a moment.";
    return new GatewayError("rate_limit_exceeded", message, { isRetryable: true });
  }
  const how = status === 200 ? "without a token" : `with HTTP status ${status}`;
  return new GatewayError("upstream_error", `Cursor's sign-in answered ${how}. Try again.`, { isRetryable: true });
}

/** An HTML page is a wall in front of Cursor, not Cursor's word. */
export function isWebPage(text: string): boolean {
  return /<html|<!doctype/i.test(text);
}

export function textIn(body: unknown, name: string): string | undefined {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
