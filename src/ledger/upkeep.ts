import { rmSync } from "node:fs";
import { dropOld } from "./drop.js";
import { hasFormerDays, takeOverFormerDays } from "./former-days.js";
import type { IntentLog } from "./intent-log.js";
import type { Ledger } from "./ledger.js";
import type { LedgerOptions } from "./ledger-options.js";
import { readLogsInSlices } from "./log-folder.js";
import { recoverLog } from "./recover.js";

/** Upkeep is left for when the gateway has started. */
const FIRST_UPKEEP_MS = 2_000;
const UPKEEP_EVERY_MS = 10 * 60_000;
/** How many logs of dead processes are left where no process can open the tables. */
const MAX_LEFT_LOGS = 16;

/** Recovers the logs of dead processes, takes over the files of earlier versions, and drops what is too old. */
export class Upkeep {
  readonly #ledger: Ledger;
  readonly #log: IntentLog;
  readonly #options: LedgerOptions;
  readonly #stops: readonly (() => void)[];
  readonly #closed = new AbortController();
  #work = Promise.resolve();

  constructor(ledger: Ledger, log: IntentLog, options: LedgerOptions) {
    this.#ledger = ledger;
    this.#log = log;
    this.#options = options;
    const keepUp = () => {
      this.#work = this.#work.then(() => this.#keepUp()).catch(options.onProblem);
    };
    this.#stops = [options.clock.after(FIRST_UPKEEP_MS, keepUp), options.clock.every(UPKEEP_EVERY_MS, keepUp)];
  }

  async close(): Promise<void> {
    this.#closed.abort();
    for (const stop of this.#stops) stop();
    await this.#work;
  }

  async #keepUp(): Promise<void> {
    const { folder, formerFolder, clock, keptDays } = this.#options;
    const { signal } = this.#closed;
    const all = await readLogsInSlices(folder, { nowMs: clock.now(), except: this.#log.path });
    const logs = all.filter(({ isAlive }) => !isAlive);
    const hasFormer = hasFormerDays(formerFolder);
    if (!this.#ledger.isOpen && logs.length === 0 && !hasFormer) return;
    const tables = await this.#ledger.tables().catch((problem: unknown) => {
      for (const { path } of logs.slice(0, -MAX_LEFT_LOGS)) rmSync(path, { force: true });
      throw problem;
    });
    for (const log of logs) if (!signal.aborted) await recoverLog(tables, log);
    if (hasFormer && !signal.aborted) await takeOverFormerDays(formerFolder, tables);
    if (!signal.aborted) await dropOld(tables, clock.now(), keptDays, signal);
  }
}
