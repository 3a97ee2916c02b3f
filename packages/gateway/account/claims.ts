import { field, parseJson } from "../turn/read-json.js";

/** The expiry of a JWT, from its `exp` claim; undefined when it has none. */
export function expiryMs(token: string): number | undefined {
  const seconds = claim(token, "exp");
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

/** The token's kind (`session`, `web` or `api_key_token`), the user's id at Cursor, or the e-mail address; undefined without the claim. */
export function textClaim(token: string, name: "type" | "sub" | "email"): string | undefined {
  const value = claim(token, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only Cursor can verify the signature, so claims serve only for messages and planning. */
function claim(token: string, name: string): unknown {
  return field(parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")), name);
}
