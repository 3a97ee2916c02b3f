import { withoutUser } from "../config/web-cookie.js";
import { GatewayError } from "../turn/error.js";
import { type FoundCredential, isApiKey, isJwt } from "./credential.js";

/** The credential that a request brings: an API key, a token, or the value of Cursor's web cookie. */
export function callerCredential(text: string): FoundCredential {
  const bare = withoutUser(text.trim());
  const from = "this request";
  const fix = "Send a valid API key or session token of your own Cursor account as the bearer.";
  if (isApiKey(bare)) return { credential: { kind: "api-key", apiKey: bare }, from, fix };
  if (isJwt(bare)) return { credential: { kind: "access-token", accessToken: bare }, from, fix };
  throw new GatewayError("not_authenticated", `What this request brings is no credential of Cursor. ${fix}`);
}
