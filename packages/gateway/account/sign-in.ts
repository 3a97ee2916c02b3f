import { askInJson, blockedNetwork, type Network } from "../network/index.js";
import { GatewayError } from "../turn/error.js";
import { field, textField } from "../turn/read-json.js";
import type { FoundCredential } from "./credential.js";

const TIMEOUT_MS = 20_000;
/** The public client id of Cursor's editor, under which its sessions are renewed (docs/protocol/wire.md, sign-in). */
const EDITOR_CLIENT_ID = "KbZUR41cY7W6zRSdpSUJ7I7mLYBKOCmB";

interface SignIn {
  readonly backendUrl: string;
  readonly network: Pick<Network, "fetch">;
  readonly found: Pick<FoundCredential, "from" | "fix">;
}

/** Sends JSON to Cursor's sign-in service. @throws GatewayError when the network fails; any status is returned. */
function askSignIn(
  path: string,
  request: unknown,
  { network, backendUrl }: SignIn,
  headers: Record<string, string> = {},
) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const body = JSON.stringify(request);
  return askInJson(network, new URL(path, backendUrl), { method: "POST", headers, body, signal });
}

/** The error for a response that says nothing about the credential: a retry may succeed. */
function passingTrouble({ status, isForeign }: { status: number; isForeign: boolean }): GatewayError {
  // An error page may be temporary; a redirect, or a proxy that wants a password, is not.
  if (isForeign) return blockedNetwork(status).with({ isRetryable: status !== 407 && (status < 300 || status >= 400) });
  if (status === 429) {
    const message = "Cursor limits how often you may sign in. Wait a moment.";
    return new GatewayError("rate_limit_exceeded", message, { isRetryable: true });
  }
  const how = status === 200 ? "without a token" : `with HTTP status ${status}`;
  return new GatewayError("upstream_error", `Cursor's sign-in answered ${how}. Try again.`, { isRetryable: true });
}

/** Exchanges an API key for a short-lived access token. @throws GatewayError of the kind `authentication` when Cursor refuses it */
export async function exchangeKey(apiKey: string, signIn: SignIn): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await askSignIn("/auth/exchange_user_api_key", {}, signIn, headers);
  const { status, text } = response;
  const token = textField(response.json, "accessToken");
  if (status === 200 && token !== "") return token;
  if ((status === 401 || status === 403) && !response.isForeign) {
    const why = text.includes("sign_in_policy_violation")
      ? "your organisation's sign-in policy forbids it"
      : "it is wrong, revoked or expired";
    const { from, fix } = signIn.found;
    throw new GatewayError("not_authenticated", `Cursor refused the API key from ${from}: ${why}. ${fix}`);
  }
  throw passingTrouble(response);
}

/** Exchanges a session of Cursor's editor for a newer one. @throws GatewayError of the kind `authentication` when it is over */
export async function renewSession(refreshToken: string, signIn: SignIn): Promise<string> {
  const request = { grant_type: "refresh_token", client_id: EDITOR_CLIENT_ID, refresh_token: refreshToken };
  const response = await askSignIn("/oauth/token", request, signIn);
  const { status, json, isForeign } = response;
  const isRefused = [400, 401, 403].includes(status) && !isForeign;
  // `shouldLogout` wins over a token beside it.
  const isLoggedOut = field(json, "shouldLogout") === true;
  if (isRefused || isLoggedOut) {
    const { from, fix } = signIn.found;
    throw new GatewayError("not_authenticated", `Cursor has ended the session from ${from}. ${fix}`);
  }
  const token = textField(json, "access_token");
  if (status === 200 && token !== "") return token;
  throw passingTrouble(response);
}
