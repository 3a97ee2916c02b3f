import type { Model } from "../backends/backend.js";
import { closest } from "../closest.js";

interface Family {
  /** Names that clients have built in, or did. */
  readonly known: RegExp;
  /** Which names belong to it at all, Cursor's among them. */
  readonly members: RegExp;
  /** What a word says about the price, from 1 up; the first that stands in a name counts, `""` is for names without any. */
  readonly prices: Readonly<Record<string, number>>;
}

/** Dates, and words by which vendors tell editions of one model apart. */
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

/** Cursor charges more for these, whatever the model; with Grok the word is part of a small one's name. */
const SURCHARGED = /^(?!grok).*-(fast|priority)\b/;

/**
 * The listed model that serves instead of a well-known one of another vendor's API: of the same family, never a dearer one, and
 * among these the nearest in size, then in version. `default`, which a plan includes, where there is none. Undefined for names
 * that nobody has built in.
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

/** Listed names to propose instead of one that nobody knows: those of its family first, then by spelling. */
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

/** Names that say nothing of a size may be of any: as dear as the dearest. */
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

/** The first two numbers of a name that are no date: 4, 5 of `claude-sonnet-4-5-20250929` and of `claude-4.5-sonnet`. */
function versionOf(name: string): readonly number[] {
  const bare = name.replace(/-?\d{4}-\d{2}-\d{2}|-?\d{6,}/g, "");
  return (bare.match(/\d+/g) ?? []).slice(0, 2).map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}
