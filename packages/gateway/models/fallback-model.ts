import type { Model } from "../backends/backend.js";
import type { Vendor } from "../backends/profile/index.js";
import { closest } from "../system/closest.js";

/** Words and dates that distinguish editions of one model: 20250929, 2025-09-29, 0613, 06-05, 001. */
const EDITION = /-(?:latest|preview|exp|beta|20\d{6}|20\d\d-\d\d-\d\d|[01]\d{3}|[01]\d-[0-3]\d|00\d)$/;

/** The characters that vendors' names have. Brackets and colons are ours: they hold the options of a model. */
const PLAIN = /^[a-z0-9.-]{1,200}$/;

/**
 * The listed model that replaces a well-known one of another API: of the same vendor, never more expensive, the nearest in size,
 * then in version; else `default`, which every plan has. Undefined for other names: serving a typo would surprise on the bill.
 * Compares sizes instead of prices, because prices change every month and Cursor's differ from the vendors'.
 */
export function fallbackModel(asked: string, models: readonly Model[], vendors: readonly Vendor[]): Model | undefined {
  const name = asked.toLowerCase();
  const vendor = vendorKnowing(name, vendors);
  if (vendor === undefined) return undefined;
  const price = priceOf([name], vendor);
  const [best] = models
    .filter((model) => {
      const id = model.id.toLowerCase();
      const isSurcharged = vendor.surcharged.some((word) => id.split("-").slice(1).includes(word));
      return vendor.members.fits(id) && priceOf(namesOf(model), vendor) <= price && !isSurcharged;
    })
    .sort(byLikeness(name, vendor));
  return best ?? models.find(({ id }) => id === "default");
}

function vendorKnowing(name: string, vendors: readonly Vendor[]): Vendor | undefined {
  if (!PLAIN.test(name)) return undefined;
  for (let bare = name; ; ) {
    const vendor = vendors.find(({ known }) => known.fits(bare));
    const shorter = bare.replace(EDITION, "");
    if (vendor !== undefined || shorter === bare) return vendor;
    bare = shorter;
  }
}

/** Listed names to suggest for an unknown name: of its vendor, then those that begin like it, or else by their spelling. */
export function nearestNames(
  asked: string,
  names: readonly string[],
  count: number,
  vendors: readonly Vendor[],
): string[] {
  const name = asked.toLowerCase();
  const vendor = vendors.find(({ members }) => members.fits(name));
  const related = names.filter((each) => vendor?.members.fits(each.toLowerCase()));
  const begunAlike = names.filter((each) => closest(name, [each.slice(0, name.length)]).length > 0);
  const bySpelling = (each: readonly string[]) => closest(name, each, count, Number.POSITIVE_INFINITY);
  const likely = new Set([...bySpelling(related), ...bySpelling(begunAlike)]);
  return (likely.size > 0 ? [...likely] : bySpelling(names)).slice(0, count);
}

function namesOf({ id, aliases }: Model): string[] {
  return [id, ...aliases].map((name) => name.toLowerCase());
}

/** Names without a size count as the most expensive, because they may be of any size. */
function priceOf(names: readonly string[], { prices }: Vendor): number {
  const words = names.flatMap((name) => name.split("-"));
  const word = Object.keys(prices).find((each) => words.includes(each));
  return prices[word ?? ""] ?? Math.max(...Object.values(prices));
}

function byLikeness(name: string, vendor: Vendor) {
  const wanted = versionOf(name);
  const isForCode = name.includes("codex");
  const isSame = (id: string) => versionOf(id).slice(0, wanted.length).join(".") === wanted.join(".");
  const isOfKind = (id: string) => id.includes("codex") === isForCode;
  return (a: Model, b: Model): number =>
    priceOf(namesOf(b), vendor) - priceOf(namesOf(a), vendor) ||
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
