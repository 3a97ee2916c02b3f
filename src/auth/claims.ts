import { field, parseJson } from "../turn/read-json.js";

/** The expiry of a JWT, from its own claim; undefined when the token does not say. */
export function expiryMs(token: string): number | undefined {
  const seconds = claim(token, "exp");
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

/** The token's kind (`session`, `web` or `api_key_token`), the user's id at Cursor, or the e-mail address; undefined when it does not say. */
export function textClaim(token: string, name: "type" | "sub" | "email"): string | undefined {
  const value = claim(token, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only Cursor can verify the signature, so a claim serves for messages and planning alone. */
function claim(token: string, name: string): unknown {
  return field(parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")), name);
}
