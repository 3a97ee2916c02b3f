import { field, parseJson } from "../turn/read-json.js";

/** The end of a JWT's life, from its own claim; undefined when the token does not say. */
export function expiryMs(token: string): number | undefined {
  const seconds = claim(token, "exp");
  return typeof seconds === "number" ? seconds * 1_000 : undefined;
}

/** Which kind of token it says it is: `session`, `web` or `api_key_token`. */
export function tokenType(token: string): string | undefined {
  const type = claim(token, "type");
  return typeof type === "string" ? type : undefined;
}

/** The user, in Cursor's own terms. */
export function subjectOf(token: string): string | undefined {
  const subject = claim(token, "sub");
  return typeof subject === "string" && subject !== "" ? subject : undefined;
}

export function emailOf(token: string): string | undefined {
  const email = claim(token, "email");
  return typeof email === "string" && email !== "" ? email : undefined;
}

/** Nobody but Cursor can verify the signature; what a token claims is good for telling and planning alone. */
function claim(token: string, name: string): unknown {
  return field(parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")), name);
}
