import { maskCredentials } from "../turn/mask-credentials.js";

/** What must be in no capture, besides everything that looks like a token. */
export interface PrivateWords {
  /** Keys and tokens in use. */
  readonly secrets: readonly string[];
  readonly homeFolder: string;
  readonly hostName: string;
}

const patterns: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["an e-mail address", /\w@\w/],
  ["a home folder", /\/(?:home|Users)\/\w|[A-Za-z]:(?:\\\\)+Users/],
  ["an address of a computer", /\b(?:\d{1,3}\.){3}\d{1,3}\b|https?:\/\//],
  ["a provider's key", /\b(?:sk|pk|ghp|gho|xox[a-z])[-_][\w-]{16,}/],
];
/** A name like this is no ordinary word, which a capture may show. */
const HOST_NAME = /[\d.-]/;

/** What a capture holds that it must not hold, in words that do not repeat it. Empty if it may be written. */
export function leftoversIn(text: string, { secrets, homeFolder, hostName }: PrivateWords): string[] {
  const found = patterns.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  if (maskCredentials(text) !== text) found.push("a token or key");
  if (secrets.some((secret) => secret.length > 0 && text.includes(inJson(secret))))
    found.push("a secret of the settings");
  if (homeFolder.length > 1 && text.includes(inJson(homeFolder))) found.push("your home folder");
  if (HOST_NAME.test(hostName) && hasWord(text, inJson(hostName))) found.push("the name of this computer");
  return found;
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + word.length]];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
