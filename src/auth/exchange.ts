import type { Network } from "../network/index.js";
import { GatewayError } from "../turn/error.js";
import { textField } from "../turn/read-json.js";
import type { FoundCredential } from "./credential.js";
import { askSignIn, passingTrouble } from "./sign-in.js";

interface KeyExchange {
  readonly apiKey: string;
  readonly backendUrl: string;
  readonly network: Pick<Network, "fetch">;
  readonly found: Pick<FoundCredential, "from" | "fix">;
}

/** A long-lived API key for a short-lived access token. */
export async function exchangeKey({ apiKey, backendUrl, network, found }: KeyExchange): Promise<string> {
  const url = new URL("/auth/exchange_user_api_key", backendUrl);
  const answer = await askSignIn(network, url, {}, { authorization: `Bearer ${apiKey}` });
  const { status, text } = answer;
  const token = textField(answer.body, "accessToken");
  if (status === 200 && token !== "") return token;
  if ((status === 401 || status === 403) && !answer.isWebPage) {
    const why = text.includes("sign_in_policy_violation")
      ? "your organisation's sign-in policy forbids it"
      : "it is wrong, revoked or expired";
    throw new GatewayError("not_authenticated", `Cursor refused the API key from ${found.from}: ${why}. ${found.fix}`);
  }
  throw passingTrouble(answer);
}
