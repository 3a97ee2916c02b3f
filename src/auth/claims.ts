import { field, parseJson } from "../turn/read-json.js";

/** The expiry of a JWT, from its own claim; undefined when the token does not say. */
export function expiryMs(token: string): number | undefined {
  const seconds = claim(token, "exp");
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

/** The token's own statement of its kind: `session`, `web` or `api_key_token`. */
export function tokenType(token: string): string | undefined {
  const type = claim(token, "type");
  return typeof type === "string" ? type : undefined;
}

/** The user's id at Cursor. */
export function subjectOf(token: string): string | undefined {
  const subject = claim(token, "sub");
  return typeof subject === "string" && subject !== "" ? subject : undefined;
}

export function emailOf(token: string): string | undefined {
  const email = claim(token, "email");
  return typeof email === "string" && email !== "" ? email : undefined;
}

/** Only Cursor can verify the signature, so a claim serves for messages and planning alone. */
function claim(token: string, name: string): unknown {
  return field(parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")), name);
}
