export const MASK = "[redacted]";

/** Cursor's API keys, those of its dashboard, and Curlew's own. The latter two are too long to be names in a program. */
const KEY = /\b(?:crsr_[\w-]+|key_[\w-]{16,}|curlew_[\w-]{40,})/g;
/** The credentials of HTTP authentication. Shorter text is an ordinary word, as in "Basic plan". */
const SCHEME = /\b(Bearer|Basic)\s+[^\s"\\,;]{8,}/gi;
/** The characters of a token, including the dots between its parts and anything that may be attached to it. */
const RUN = /[\w.-]{6,}/g;
const TOKEN_START = "eyJ"; // `{"` in base64url
/** Two parts alone may be a name in a program, but the first part of a token is longer than such names. */
const MIN_HEADER_OF_TWO = 9;

/** Masks API keys and access tokens (JWTs) anywhere in the text, in linear time. */
export function maskCredentials(words: string): string {
  const masked = words.replace(SCHEME, `$1 ${MASK}`).replace(KEY, MASK);
  // Every line of the log comes here, and hardly any has a token.
  if (!masked.includes(TOKEN_START)) return masked;
  // One expression for a whole token would scan the rest of the text again from each possible start.
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
    at += 2; // skips the claims and the signature
  }
  return shown.join(".");
}

function isHeader(length: number, claims: string | undefined, signature: string | undefined): boolean {
  if (claims === undefined || claims === "") return false;
  return signature === undefined ? length >= MIN_HEADER_OF_TWO : length > TOKEN_START.length;
}
