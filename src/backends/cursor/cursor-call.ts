import type { TokenSource } from "../../auth/token.js";
import { type Network, whyUnreachable } from "../../network/index.js";
import { GatewayError } from "../../turn/error.js";
import { toGatewayError } from "./errors.js";
import { noFailure, parseConnectError } from "./failure.js";
import { identityHeaders } from "./identity.js";

export interface CursorCaller {
  readonly tokens: Pick<TokenSource, "get" | "renew">;
  readonly backendUrl: string;
  readonly clientVersion: string;
  readonly network: Pick<Network, "fetch">;
}

/**
 * One of Cursor's account calls, in JSON: there names decide, and the numbers of some of their fields rest on a single source.
 * `method` is the service's full name and the call's.
 */
export async function callCursor(
  caller: CursorCaller,
  method: string,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  const token = await caller.tokens.get(signal);
  const answer = await post(caller, method, body, token, signal);
  if (answer.status !== 401) return readAnswer(answer);
  return readAnswer(await post(caller, method, body, await caller.tokens.renew(token, signal), signal));
}

async function post(
  { backendUrl, clientVersion, network }: CursorCaller,
  method: string,
  body: object,
  token: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await network.fetch(new URL(`/${method}`, backendUrl), {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "connect-protocol-version": "1",
        ...identityHeaders({ version: clientVersion, ghostMode: true }),
      },
      body: JSON.stringify(body),
      redirect: "error", // the token goes nowhere else
      signal,
    });
  } catch (cause) {
    const { origin } = new URL(backendUrl);
    const message = `Cursor cannot be reached at ${origin} ${whyUnreachable(cause)}`;
    throw new GatewayError("upstream_unreachable", message, { cause, isRetryable: true });
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => "");
  const json = parse(text);
  if (response.ok && json !== undefined) return json;
  if (typeof json === "object" && json !== null) throw toGatewayError(parseConnectError(json));
  const message = response.ok ? "the answer is no JSON" : `HTTP status ${response.status}`;
  throw toGatewayError({
    ...noFailure,
    connectCode: response.status === 401 ? "unauthenticated" : "internal",
    message,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
