import { field, parseJson } from "../turn/read-json.js";

/** The expiry of a JWT, from its own claim; undefined when the token does not say. */
export function expiryMs(token: string): number | undefined {
  const seconds = claim(token, "exp");
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

/** The token's own statement of its kind: `session`, `web` or `api_key_token`. */
export function tokenType(token: string): string | undefined {
  return textClaim(token, "type");
}

/** The user's id at Cursor. */
export function subjectOf(token: string): string | undefined {
  return textClaim(token, "sub");
}

export function emailOf(token: string): string | undefined {
  return textClaim(token, "email");
}

function textClaim(token: string, name: string): string | undefined {
  const value = claim(token, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only Cursor can verify the signature, so a claim serves for messages and planning alone. */
function claim(token: string, name: string): unknown {
  return field(parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")), name);
}
