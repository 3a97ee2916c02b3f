import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type LedgerReader, type OpenLedger, openLedger, openLedgerReader } from "../../packages/meter/ledger/index.js";
import { ManualClock } from "../manual-clock.js";

/** The newest entry with this id. */
export function entryIn(reader: LedgerReader, id: string) {
  return reader.entries({ id, limit: 1 })[0];
}

export function detailIn(reader: LedgerReader, id: string) {
  const entry = entryIn(reader, id);
  return entry && reader.detail(entry);
}

/** A ledger without a folder, closed at the end of the test. */
export function ledgerInMemory(clock: ManualClock): OpenLedger {
  const options = { gateway: "gateway", keptDays: 0, keepsTexts: false, onProblem: () => {} };
  const ledger = openLedger({ ...options, folder: undefined, clock });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** A ledger in a folder of its own, whose time the test controls. */
export class LedgerUnderTest {
  readonly home = mkdtempSync(join(tmpdir(), "curlew-ledger-"));
  readonly folder = join(this.home, "ledger");
  readonly clock: ManualClock;
  readonly problems: unknown[] = [];

  constructor(nowMs: number) {
    this.clock = new ManualClock(nowMs);
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  open({ gateway = "gateway", keepsTexts = false, keptDays = 90 } = {}): OpenLedger {
    const { folder, clock } = this;
    const onProblem = (problem: unknown) => this.problems.push(problem);
    const ledger = openLedger({ gateway, folder, clock, keptDays, keepsTexts, onProblem });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  /** A reader as other processes have it. */
  read(): LedgerReader {
    const onProblem = (problem: unknown) => this.problems.push(problem);
    return openLedgerReader(this.folder, { now: this.clock.now, onProblem });
  }

  /** The names of the day files. */
  files(): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith(".jsonl"));
  }

  /** The names of the files with sums. */
  sums(): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith(".sums"));
  }

  /** The lines of all day files without their heads. */
  lines(): string[] {
    const texts = this.files().map((name) => readFileSync(join(this.folder, name), "utf8"));
    return texts.flatMap((text) => text.split("\n").filter((line) => line !== "" && !line.startsWith('{"t":"head"')));
  }

  /** Waits until the upkeep has sums of this many days. */
  async summedUp(days: number): Promise<void> {
    this.clock.advance(600_000);
    await expect.poll(() => this.sums().length).toBe(days);
  }
}
