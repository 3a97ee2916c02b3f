/** What stands in the place of a credential, in errors and in the log. */
export const MASK = "[redacted]";

/** Cursor's API keys, and those of its dashboard, which are too long to be a name in a program. */
const KEY = /\b(?:crsr_[\w-]+|key_[\w-]{16,})/g;
/** Whatever an HTTP client signs in with. What is shorter is a word: "Basic plan". */
const SCHEME = /\b(Bearer|Basic)\s+[^\s"\\,;]{8,}/gi;
/** What a token may stand in: the dots between its parts, and what may have been glued to it. */
const RUN = /[\w.-]{6,}/g;
const TOKEN_START = "eyJ"; // `{"` in base64url
/** Two parts alone may be a name in a program; a token's first part is longer than such names are. */
const MIN_HEADER_OF_TWO = 9;

/** The words without API keys and access tokens (JWTs), wherever these stand, in time that grows with their length alone. */
export function maskCredentials(words: string): string {
  const masked = words.replace(SCHEME, `$1 ${MASK}`).replace(KEY, MASK);
  // One expression for the whole of a token would look at the rest of the text anew from each of its beginnings.
  return masked.replace(RUN, (run) => (run.includes(TOKEN_START) ? maskRun(run) : run));
}

function maskRun(run: string): string {
  const parts = run.split(".");
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    const start = part.indexOf(TOKEN_START);
    if (start === -1 || !isHeader(part.length - start, parts[at + 1], parts[at + 2])) {
      shown.push(part);
      continue;
    }
    shown.push(`${part.slice(0, start)}${MASK}`);
    at += 2; // the claims and the signature
  }
  return shown.join(".");
}

function isHeader(length: number, claims: string | undefined, signature: string | undefined): boolean {
  if (claims === undefined || claims === "") return false;
  return signature === undefined ? length >= MIN_HEADER_OF_TWO : length > TOKEN_START.length;
}
