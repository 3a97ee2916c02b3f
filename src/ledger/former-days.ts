import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { field, parseJson, textField } from "../turn/read-json.js";
import { unlessMissing } from "../unless-missing.js";
import { numberOf } from "./read-entry.js";
import type { FormerSource } from "./reader.js";
import { dayStart } from "./spans.js";
import { noSums, readSums, rollUpKey, type Sums, sumsText } from "./sums.js";
import type { LedgerTables } from "./tables.js";
import { update, type View } from "./view.js";

/** Stands for the client in sums of days before the ledger kept clients apart. */
export const FORMER_CLIENT = "before the ledger";
/** Earlier versions kept their days this long, and so does the ledger with these. */
export const FORMER_DAYS = 400;

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
const CLAIMED_FILE = /^(\d{4}-\d{2}-\d{2})\.[0-9a-f]+\.moving$/;

export function hasFormerDays(folder: string): boolean {
  return namesIn(folder).some((name) => DAY_FILE.test(name) || CLAIMED_FILE.test(name));
}

/**
 * Takes over the files in which earlier versions counted the usage of each day. A file gets a name that is never used again, is
 * booked together with that name, and is deleted only then. So it is booked once, however many processes do this and wherever one of
 * them is killed. What an earlier version that still runs appends meanwhile is a new file.
 * @throws Error of the file system, or when the tables could not be written
 */
export async function takeOverFormerDays(folder: string, tables: LedgerTables): Promise<void> {
  for (const name of namesIn(folder)) {
    const day = DAY_FILE.exec(name)?.[1];
    if (day === undefined) continue;
    const claimed = join(folder, `${day}.${randomBytes(6).toString("hex")}.moving`);
    unlessMissing(() => renameSync(join(folder, name), claimed));
  }
  for (const name of namesIn(folder).filter((each) => CLAIMED_FILE.test(each))) {
    const file = unlessMissing(() => readFile(folder, name));
    if (file !== undefined) await update(tables, (view) => bookFile(view, name, file));
    rmSync(join(folder, name), { force: true });
  }
  if (namesIn(folder).length === 0) unlessMissing(() => rmdirSync(folder));
}

/** The files, as a reader adds them to what it reads. */
export function formerSource(folder: string): FormerSource {
  return { has: () => hasFormerDays(folder), addTo: (view) => bookFormerDays(view, folder) };
}

/** Books the files in a view that is only read. */
function bookFormerDays(view: View, folder: string): void {
  for (const name of namesIn(folder)) {
    if (!DAY_FILE.test(name) && !CLAIMED_FILE.test(name)) continue;
    const file = unlessMissing(() => readFile(folder, name));
    if (file !== undefined) bookFile(view, name, file);
  }
}

interface FormerFile {
  readonly startMs: number;
  readonly sums: ReadonlyMap<string, Sums>;
}

function bookFile(view: View, name: string, { startMs, sums }: FormerFile): void {
  const mark = `former ${name}`;
  if (view.get("meta", mark) !== undefined) return;
  view.put("meta", mark, "");
  for (const [model, added] of sums) {
    const key = rollUpKey(startMs, FORMER_CLIENT, model);
    const before = readSums(view.get("days", key));
    for (const each of Object.keys(added) as (keyof Sums)[]) before[each] += added[each];
    view.put("days", key, sumsText(before));
  }
}

function readFile(folder: string, name: string): FormerFile | undefined {
  const startMs = dayStart(name.slice(0, 10));
  if (startMs === undefined) return undefined;
  const sums = new Map<string, Sums>();
  for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
    const counts = parseJson(line);
    const model = textField(counts, "model");
    if (model === "") continue; // an incomplete line, left by a crash
    const held = sums.get(model) ?? noSums();
    sums.set(model, held);
    const count = (each: string) => Math.max(0, numberOf(field(counts, each)));
    held.warm += count("warmReplies");
    held.cold += count("coldReplies");
    held.requests += count("warmReplies") + count("coldReplies");
    held.turns += count("turns");
    held.estimatedTurns += count("estimatedTurns");
    held.input += count("inputTokens");
    held.output += count("outputTokens");
    held.cacheRead += count("cacheReadTokens");
    held.cacheWrite += count("cacheWriteTokens");
    held.reasoning += count("reasoningTokens");
  }
  return { startMs, sums };
}

function namesIn(folder: string): string[] {
  return (unlessMissing(() => readdirSync(folder)) ?? []).sort();
}
