import { createHash, randomBytes, randomUUID } from "node:crypto";

/** One attempt at a browser login. Whoever knows id and verifier gets the session, so the verifier is told to Cursor alone. */
export interface Handshake {
  readonly uuid: string;
  readonly verifier: string;
  /** The page that the person opens. */
  readonly url: string;
}

export function createHandshake(websiteUrl: string): Handshake {
  const verifier = randomBytes(32).toString("base64url");
  // Over the text of the verifier, not over the bytes it stands for.
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const uuid = randomUUID();
  const url = new URL("/loginDeepControl", websiteUrl);
  for (const [name, value] of Object.entries({ challenge, uuid, mode: "login", redirectTarget: "cli" })) {
    url.searchParams.append(name, value);
  }
  return { uuid, verifier, url: url.href };
}
