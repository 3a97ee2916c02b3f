import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Clock, finishInSlices } from "@curlew/gateway/system/clock.js";
import { makeFolder } from "@curlew/gateway/system/make-folder.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { FileBook, type ForgetRule, isForgotten } from "./book.js";
import { CLOSED_MODE, type LedgerFile, linesForward, ruleName, rulesFor, sumsName } from "./day-files.js";
import { dayStart, dayText, midnight } from "./entry.js";
import { nameOf, readHead, readLine } from "./line.js";
import { FolderReader } from "./reader.js";
import { sumsText } from "./sums.js";
import { type DayWriter, OwnFile } from "./writer.js";

/** Delayed so that upkeep does not slow down the start of the gateway. */
const FIRST_UPKEEP_MS = 2_000;
const UPKEEP_EVERY_MS = 10 * 60_000;
/** Generous: writing a file takes seconds. */
const MADE_WITHIN_MS = 60 * 60_000;
const UNFINISHED = /\.making-[0-9a-f]+$|^(?:\d{4}-\d{2}-\d{2}\.sums|forget-\d+\.json)\.[0-9a-f]{12}$/;

interface UpkeepDeps {
  readonly folder: string;
  readonly keptDays: number;
  readonly clock: Clock;
  readonly writer: DayWriter;
  readonly reader: FolderReader;
  /** Stops recording requests that these rules forget. */
  readonly forget: (rules: readonly ForgetRule[]) => void;
  readonly onProblem: (problem: unknown) => void;
}

/** Keeps the folder of a ledger small while a gateway runs. Returns the function that stops it. */
export function startUpkeep(deps: UpkeepDeps): () => Promise<void> {
  const { reader, writer, clock, keptDays, forget, onProblem } = deps;
  const folder = new Folder(deps.folder, reader);
  let hasToldFormer = false;
  const keepUp = async () => {
    if (reader.list().hasFormerLedger && !hasToldFormer) {
      hasToldFormer = true;
      onProblem(new Error(`A ledger of an earlier version is ignored: ${join(deps.folder, "data.mdb")}`));
    }
    const nowMs = clock.now();
    folder.dropOld(dayText(midnight(nowMs, -keptDays)), writer);
    await folder.takeOutForgotten(forget);
    await folder.sumUpDaysBefore(dayText(nowMs));
    for (const [day, file] of writer.files) if (day < dayText(nowMs) && file.isComplete) writer.leave(day);
    folder.dropUnfinished(nowMs);
  };
  let work = Promise.resolve();
  const next = () => {
    work = work.then(keepUp).catch(onProblem);
  };
  const stops = [clock.after(FIRST_UPKEEP_MS, next), clock.every(UPKEEP_EVERY_MS, next)];
  return async () => {
    folder.stop();
    for (const stop of stops) stop();
    await work;
  };
}

/** Maintains the files of a ledger. Leaves files of other live processes alone. */
class Folder {
  readonly #folder: string;
  readonly #reader: FolderReader;
  #isStopped = false;

  constructor(folder: string, reader: FolderReader) {
    this.#folder = folder;
    this.#reader = reader;
  }

  /** The remaining work is left for the next time. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Removes expired days. */
  dropOld(oldestDay: string, writer: DayWriter): void {
    const listing = this.#reader.list();
    for (const day of this.#reader.days(listing)) {
      if (day >= oldestDay) break;
      for (const file of this.#reader.filesOf(day, listing)) {
        if (!mayChange(file)) continue;
        if (file instanceof OwnFile) writer.leave(day);
        rmSync(join(this.#folder, file.name), { force: true });
      }
    }
    for (const name of listing.sums) if (name < oldestDay) rmSync(join(this.#folder, name), { force: true });
  }

  /** Applies the forget rules to all files, and drops the rules once every file has followed them. */
  async takeOutForgotten(forget: (rules: readonly ForgetRule[]) => void): Promise<void> {
    const listing = this.#reader.list();
    const { rules, lastRule } = listing;
    if (rules.length === 0) return;
    forget(rules);
    let isLeft = false;
    for (const day of this.#reader.days(listing)) {
      const files = this.#reader.filesOf(day, listing);
      isLeft ||= files.length < (listing.days.get(day)?.length ?? 0);
      for (const file of files.filter((each) => rulesFor(rules, each).length > 0)) {
        if (mayChange(file) && !this.#isStopped) await finishInSlices(this.#rewrite(file, rules, lastRule));
        else isLeft = true;
      }
    }
    if (!isLeft) this.#dropRules(lastRule);
  }

  /** Sums up past days. A day with open requests or waiting runs is left for later. */
  async sumUpDaysBefore(today: string): Promise<void> {
    const listing = this.#reader.list();
    for (const day of this.#reader.days(listing)) {
      if (day >= today || this.#isStopped) return;
      const names = listing.days.get(day) ?? [];
      if (names.length === 0 || this.#reader.sumsOf(day, listing) !== undefined) continue;
      // Sizes from before reading: a later append makes the sums stale, and so does a file that cannot be read now.
      const sizes = names.map((name) => [
        name,
        statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? -1,
      ]);
      const files = this.#reader.filesOf(day, listing);
      const sums = await finishInSlices(this.#reader.sumUp(day, listing, true));
      const isOver = files.every((file) => !file.isAlive() || file.isComplete);
      if (!isOver || files.length < names.length) continue;
      const text = sumsText(sums, Object.fromEntries(sizes), listing.lastRule);
      replaceFile(join(this.#folder, sumsName(day)), text);
    }
  }

  /** Removes unfinished files of killed processes. */
  dropUnfinished(nowMs: number): void {
    for (const name of unlessMissing(() => readdirSync(this.#folder)) ?? []) {
      const path = join(this.#folder, name);
      const madeMs = UNFINISHED.test(name) ? statSync(path, { throwIfNoEntry: false })?.mtimeMs : undefined;
      if (madeMs !== undefined && nowMs - madeMs > MADE_WITHIN_MS) rmSync(path, { force: true });
    }
  }

  /** Keeps the last rule, emptied, so that its number is not reused. */
  #dropRules(lastRule: number): void {
    const last = ruleName(lastRule);
    replaceFile(join(this.#folder, last), "{}\n");
    for (const name of readdirSync(this.#folder)) {
      if (name.length === last.length && name.startsWith("forget-") && name < last) rmSync(join(this.#folder, name));
    }
  }

  /** Rewrites a file without what the rules forget. If it is our own, lines may be appended to it meanwhile. */
  *#rewrite(file: LedgerFile, rules: readonly ForgetRule[], lastRule: number): Generator<undefined, void, undefined> {
    const path = join(this.#folder, file.name);
    const pending = rulesFor(rules, file);
    const forgotten = new Set<string>();
    const book = new FileBook([], lastRule);
    const isKept = (text: string) => {
      const line = readLine(text);
      if (line === undefined) return false;
      const request = line.t === "received" ? line : line.t === "ended" ? line.entry : undefined;
      if (request !== undefined && isForgotten(pending, request)) forgotten.add(line.key);
      if (forgotten.has(line.key)) return false;
      book.add(line);
      return true;
    };
    const made = `${path}.making-${randomBytes(4).toString("hex")}`;
    const output = openSync(made, "wx", 0o600);
    try {
      for (const { lines } of linesForward(path, 0)) {
        const kept = lines.flatMap((text) => {
          const head = readHead(text);
          if (head !== undefined) return [JSON.stringify({ ...head, rule: lastRule })];
          return isKept(text) ? [text] : [];
        });
        if (kept.length > 0) writeSync(output, `${kept.join("\n")}\n`);
        if (lines.length > 0) yield;
      }
    } catch (thrown) {
      rmSync(made, { force: true });
      throw thrown;
    } finally {
      closeSync(output);
    }
    if (!(file instanceof OwnFile)) chmodSync(made, CLOSED_MODE);
    renameSync(made, path);
    if (file instanceof OwnFile) file.replaced(book, lastRule);
  }
}

/** A file may be changed by its own process, or by any other once that is dead. */
function mayChange(file: LedgerFile): boolean {
  return file instanceof OwnFile || !file.isAlive();
}

interface Forgotten {
  /** Only requests before this day, such as `2026-11-15`. */
  readonly before?: string | undefined;
  /** Only requests of this client. */
  readonly client?: string | undefined;
}

/**
 * Deletes recorded requests, including those of running gateways: readers stop finding them at once, and each process removes
 * them from its own files within minutes.
 * @returns the number of deleted requests
 * @throws RangeError if the day does not exist
 * @throws Error if the ledger cannot be written
 */
export async function forgetRequests(
  { folder, now = Date.now }: { readonly folder: string; readonly now?: () => number },
  { before, client }: Forgotten,
): Promise<number> {
  const nowMs = now();
  const beforeMs = before === undefined ? nowMs : dayStart(before);
  if (beforeMs === undefined) throw new RangeError(`No such day: ${before}.`);
  const reader = new FolderReader({ folder, now, onProblem: () => {} });
  const requests = () =>
    reader.rollUps("day", 0, Number.MAX_SAFE_INTEGER).reduce((sum, rollUp) => sum + rollUp.requests, 0);
  await reader.ready();
  const countBefore = requests();
  // A rule about the future would delete requests still to come.
  const rule = { beforeMs: Math.min(beforeMs, nowMs), client: client === undefined ? undefined : nameOf(client) };
  addRule(folder, reader.list().lastRule + 1, JSON.stringify(rule));
  const files = new Folder(folder, reader);
  await files.takeOutForgotten(() => {});
  await files.sumUpDaysBefore(dayText(nowMs));
  return countBefore - requests();
}

/** Each rule is a numbered file of its own, so that several processes can add rules concurrently. */
function addRule(folder: string, number: number, text: string): void {
  makeFolder(folder);
  try {
    writeFileSync(join(folder, ruleName(number)), `${text}\n`, { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
    addRule(folder, number + 1, text);
  }
}
