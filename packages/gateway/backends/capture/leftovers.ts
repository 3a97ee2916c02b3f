import { hasWord } from "../../turn/has-word.js";
import { maskCredentials } from "../../turn/mask-credentials.js";

/** Words that no capture may hold, besides everything that looks like a token. */
export interface PrivateWords {
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
/** Only such host names are searched for: others may be ordinary words, which a capture may show. */
const HOST_NAME = /[\d.-]/;

/** Describes what the capture must not hold, without repeating it. Empty if it may be written. */
export function leftoversIn(text: string, { secrets, homeFolder, hostName }: PrivateWords): string[] {
  const found = patterns.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  if (maskCredentials(text) !== text) found.push("a token or key");
  if (secrets.some((secret) => secret.length > 0 && text.includes(inJson(secret))))
    found.push("a secret of the settings");
  if (homeFolder.length > 1 && text.includes(inJson(homeFolder))) found.push("your home folder");
  if (HOST_NAME.test(hostName) && hasWord(text, inJson(hostName))) found.push("the name of this computer");
  return found;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const MAX_ERROR_CHARS = 300;
/** Paths, addresses without a scheme, and what is quoted: the names of things are the user's. */
const FOREIGN = /[\\/"`“„«]|(?:^|[\s(])'|\w\.[a-z]{2,}/i;
/** Ids, tokens without a known form and account numbers. */
const LONG = /[\w+=-]{20,}/;
const DIGITS = /\d{5,}/;
const WITH_DIGITS = /[\w+=-]{8,}/g;

/** Whether an error's text may be shown whole: in words alone, Cursor wrote it. */
export function isPlainError(text: string): boolean {
  if (text.length > MAX_ERROR_CHARS || FOREIGN.test(text) || LONG.test(text) || DIGITS.test(text)) return false;
  if ((text.match(WITH_DIGITS) ?? []).some((word) => /\d/.test(word))) return false;
  return leftoversIn(text, { secrets: [], homeFolder: "", hostName: "" }).length === 0;
}
