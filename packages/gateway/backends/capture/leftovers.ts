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

/** Paths, addresses without a scheme, quotations (the names of things are the user's), tokens, ids; long texts. */
const FOREIGN = /[@\\/"`“„«]|(?:^|[\s(])'|\w\.[a-z]{2,}|[\w+=-]{20}|\d{5}|[\w+=-]{6}\d|\d[\w+=-]{6}|[\s\S]{300}/i;
/** A capital within a sentence, but for names of Cursor's own: a person, a team. */
const NAME =
  /(?<=[\p{L}\d,;:] )(?!(?:Agent|Auto|Business|Composer|Cursor|Enterprise|Max|Mode|Pro|Settings|Teams?|Ultra)\b)\p{Lu}\p{Ll}/u;

/** Whether an error's text may be shown whole: it names nothing. */
export function isPlainError(text: string): boolean {
  return (
    !FOREIGN.test(text) &&
    !NAME.test(text) &&
    leftoversIn(text, { secrets: [], homeFolder: "", hostName: "" }).length === 0
  );
}
