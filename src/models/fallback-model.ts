import type { Model } from "../backends/backend.js";
import { closest } from "../closest.js";

interface Family {
  /** Names that clients have, or had, built in. */
  readonly known: RegExp;
  /** All names that belong to the family, including Cursor's. */
  readonly members: RegExp;
  /** Price ranks from 1 up by the words of a name. The first word that occurs counts; `""` is for names without any of them. */
  readonly prices: Readonly<Record<string, number>>;
}

/** Dates and words that distinguish editions of one model. */
const EDITION_PATTERN = "(-(latest|preview|exp|beta|\\d{2,8}))*";

const families: readonly Family[] = [
  {
    known: /^claude-[a-z0-9.-]*\b(haiku|sonnet|opus|fable)\b[a-z0-9.-]*$/,
    members: /claude|haiku|sonnet|opus|fable/,
    prices: { haiku: 1, sonnet: 2, opus: 3, fable: 4 },
  },
  {
    known: new RegExp(
      "^(gpt-3\\.5-turbo(-16k|-instruct)?|gpt-4(-turbo|-32k)?|(chat)?gpt-4o(-mini)?|gpt-4\\.[15](-mini|-nano)?|" +
        "gpt-5(\\.[1-6])?(-codex|-chat)?(-max|-mini|-nano|-pro|-spark|-luna|-terra|-sol)?|gpt-6(-luna|-sol|-astra)?|" +
        `o[134](-mini|-pro)?|codex-mini)${EDITION_PATTERN}$`,
    ),
    members: /^(gpt|chatgpt|codex|o\d)\b/,
    prices: { nano: 1, luna: 1, mini: 2, "3.5": 2, terra: 3, astra: 5, pro: 6, "": 4 },
  },
  {
    known: /^gemini-[a-z0-9.-]*\b(flash|pro)\b[a-z0-9.-]*$/,
    members: /^gemini/,
    prices: { lite: 1, flash: 2, pro: 3 },
  },
  {
    known: new RegExp(
      `^grok-([234](\\.\\d)?(-mini|-fast)?(-(non-)?reasoning)?|code-fast|build)(-\\d(\\.\\d)?)?${EDITION_PATTERN}$`,
    ),
    members: /^grok/,
    prices: { mini: 1, fast: 1, code: 1, build: 1, "": 2 },
  },
];

/** Cursor charges more for these variants of any model. In Grok's names the word means a small model. */
const SURCHARGED = /^(?!grok).*-(fast|priority)\b/;

/**
 * The listed model that replaces a well-known model of another API. It is of the same family, never more expensive, and the nearest
 * in size, then in version. If there is none it is `default`, which every plan includes. Undefined for names that no client has
 * built in.
 */
export function fallbackModel(asked: string, models: readonly Model[]): Model | undefined {
  const name = asked.toLowerCase();
  const family = families.find(({ known }) => known.test(name));
  if (family === undefined) return undefined;
  const price = priceOf([name], family);
  const [best] = models
    .filter((model) => {
      const id = model.id.toLowerCase();
      return family.members.test(id) && priceOf(namesOf(model), family) <= price && !SURCHARGED.test(id);
    })
    .sort(byLikeness(name, family));
  return best ?? models.find(({ id }) => id === "default");
}

/** Listed names to suggest for an unknown name: those of its family first, then by spelling. */
export function nearestNames(asked: string, names: readonly string[], count: number): string[] {
  const name = asked.toLowerCase();
  const family = families.find(({ members }) => members.test(name));
  const related = names.filter((each) => family?.members.test(each.toLowerCase()));
  return [...new Set([related, names].flatMap((each) => closest(name, each, count, Number.POSITIVE_INFINITY)))].slice(
    0,
    count,
  );
}

function namesOf({ id, aliases }: Model): string[] {
  return [id, ...aliases].map((name) => name.toLowerCase());
}

/** Names without a size count as the most expensive, because they may be of any size. */
function priceOf(names: readonly string[], { prices }: Family): number {
  const words = names.flatMap((name) => name.split("-"));
  const word = Object.keys(prices).find((each) => words.includes(each));
  return prices[word ?? ""] ?? Math.max(...Object.values(prices));
}

function byLikeness(name: string, family: Family) {
  const wanted = versionOf(name);
  const isForCode = name.includes("codex");
  const isSame = (id: string) => versionOf(id).slice(0, wanted.length).join(".") === wanted.join(".");
  const isOfKind = (id: string) => id.includes("codex") === isForCode;
  return (a: Model, b: Model): number =>
    priceOf(namesOf(b), family) - priceOf(namesOf(a), family) ||
    Number(isSame(b.id)) - Number(isSame(a.id)) ||
    Number(isOfKind(b.id)) - Number(isOfKind(a.id)) ||
    compareVersions(versionOf(b.id), versionOf(a.id)) ||
    a.id.length - b.id.length;
}

/** The first two numbers of a name that are not a date: 4, 5 of `claude-sonnet-4-5-20250929` and of `claude-4.5-sonnet`. */
function versionOf(name: string): readonly number[] {
  const bare = name.replace(/-?\d{4}-\d{2}-\d{2}|-?\d{6,}/g, "");
  return (bare.match(/\d+/g) ?? []).slice(0, 2).map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}
