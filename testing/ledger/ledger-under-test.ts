import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type LedgerReader, type OpenLedger, openLedger, openLedgerReader } from "../../src/ledger/index.js";
import { openLedgerTables } from "../../src/ledger/lmdb-tables.js";
import { ManualClock } from "../manual-clock.js";

/** A ledger in a folder of its own, whose time the test controls. */
export class LedgerUnderTest {
  readonly home = mkdtempSync(join(tmpdir(), "curlew-ledger-"));
  readonly folder = join(this.home, "ledger");
  readonly formerFolder = join(this.home, "usage");
  readonly logsFolder = join(this.folder, "open");
  readonly clock: ManualClock;
  readonly problems: unknown[] = [];

  constructor(nowMs: number) {
    this.clock = new ManualClock(nowMs);
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  open({ gateway = "gateway", keepsTexts = false, keptDays = 90 } = {}): OpenLedger {
    const { folder, formerFolder, clock } = this;
    const ledger = openLedger({
      gateway,
      folder,
      formerFolder,
      clock,
      keptDays,
      keepsTexts,
      onProblem: (problem) => this.problems.push(problem),
    });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  /** A reader as other processes have it. */
  async read(): Promise<LedgerReader> {
    const reader = await openLedgerReader(this.folder, { formerFolder: this.formerFolder, now: this.clock.now });
    onTestFinished(() => reader.close());
    return reader;
  }

  /** What such a reader finds. It is closed before anything else happens. */
  async readOnce<Found>(find: (reader: LedgerReader) => Found): Promise<Found> {
    const reader = await this.read();
    const found = find(reader);
    await reader.close();
    return found;
  }

  logs(): string[] {
    return readdirSync(this.logsFolder);
  }

  /** The lines of all logs without their heads. */
  lines(): string[] {
    const texts = this.logs().map((name) => readFileSync(join(this.logsFolder, name), "utf8"));
    return texts.flatMap((text) => text.split("\n").filter((line) => line !== "" && !line.startsWith("h")));
  }

  /** The tables have this many entries. The log keeps its lines while runs wait. */
  async movedEntries(count: number): Promise<void> {
    this.clock.advance(1_000);
    const { tables } = await openLedgerTables(this.folder, this.clock.now());
    const entries = () => {
      tables.refresh();
      return [...tables.keys("entries", {})].length;
    };
    await expect.poll(entries).toBe(count);
    await tables.close();
  }

  /** The tables have everything that was published before, and the log is empty. */
  async moved(): Promise<void> {
    this.clock.advance(1_000);
    await expect.poll(() => this.lines()).toEqual([]);
  }
}
