const MASK = "***";
/** Cursor's API keys, and those of its dashboard. */
const KEY = /\b(?:crsr_|key_)[\w-]+/g;
/** What a token may stand in: the dots between its parts, and what may have been glued to it. */
const RUN = /[\w.-]{6,}/g;
const TOKEN_START = "eyJ"; // `{"` in base64url
/** Two parts alone may be a name in a program; a token's first part is longer than such names are. */
const MIN_HEADER_OF_TWO = 9;

/** The words without API keys and access tokens, in time that grows with their length alone. */
export function maskCredentials(words: string): string {
  return maskTokens(words.replace(KEY, MASK), MASK);
}

/** The words without access tokens (JWTs), wherever these stand. */
export function maskTokens(words: string, mask: string): string {
  // One expression for the whole of a token would look at the rest of the text anew from each of its beginnings.
  return words.replace(RUN, (run) => (run.includes(TOKEN_START) ? maskRun(run, mask) : run));
}

function maskRun(run: string, mask: string): string {
  const parts = run.split(".");
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    const start = part.indexOf(TOKEN_START);
    if (start === -1 || !isHeader(part.length - start, parts[at + 1], parts[at + 2])) {
      shown.push(part);
      continue;
    }
    shown.push(`${part.slice(0, start)}${mask}`);
    at += 2; // the claims and the signature
  }
  return shown.join(".");
}

function isHeader(length: number, claims: string | undefined, signature: string | undefined): boolean {
  if (claims === undefined || claims === "") return false;
  return signature === undefined ? length >= MIN_HEADER_OF_TWO : length > TOKEN_START.length;
}
