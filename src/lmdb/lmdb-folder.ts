import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../make-folder.js";
import { checkPages, hasAllPages } from "./page-check.js";

/** The folder with LMDB's two files, and a note on the state in which the data file was closed. */
export class LmdbFolder {
  readonly #folder: string;
  readonly #data: string;
  readonly #note: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#note = join(folder, "left");
  }

  /**
   * Makes the folder, readable by its owner alone.
   * @throws Error of the file system when it cannot be made
   */
  make(): void {
    makeFolder(this.#folder);
    chmodSync(this.#folder, 0o700);
  }

  hasFile(): boolean {
    return existsSync(this.#data);
  }

  /** A file that has not changed since it was closed is not checked, because the check of a large file takes seconds. */
  async isDamaged(): Promise<boolean> {
    if (!this.hasFile()) return false;
    const note = this.#readNote();
    return note === CONDEMNED || (note !== this.#fingerprint() && (await checkPages(this.#data)) === "damaged");
  }

  /**
   * Whether a process that only reads may map the file. A program that reads for a moment cannot check a large file that others
   * write to all the time. It need not: the process that wrote to the file last has checked it, and what a process has written
   * survives its end. Only a machine that stopped, or somebody who cut the file, can leave it damaged.
   */
  async canBeRead(nowMs: number): Promise<boolean> {
    if (!this.hasFile()) return false;
    const note = this.#readNote();
    if (note === CONDEMNED) return false;
    if (note === this.#fingerprint()) return true;
    const isOfThisBoot = statSync(this.#data).mtimeMs > nowMs - uptime() * 1_000;
    return (isOfThisBoot && hasAllPages(this.#data)) || (await checkPages(this.#data)) !== "damaged";
  }

  seal(): void {
    if (this.#readNote() !== CONDEMNED) this.#writeNote(() => this.#fingerprint());
  }

  /** Marks the file as damaged: this process goes on with what can be read, the next one starts afresh. */
  condemn(): void {
    this.#writeNote(() => CONDEMNED);
  }

  /** Moves the data file away, and returns where to. Only the newest such file is kept, for people who want to look into it. */
  moveAside(nowMs: number): string {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith("aside-")) rmSync(join(this.#folder, name));
    }
    const aside = join(this.#folder, `aside-${nowMs}.mdb`);
    renameSync(this.#data, aside);
    for (const name of [this.#note, join(this.#folder, "lock.mdb")]) rmSync(name, { force: true });
    return aside;
  }

  /** Never fails when the folder is gone or the disk is full: without a note the next start checks the file. */
  #writeNote(note: () => string): void {
    try {
      writeFileSync(this.#note, note(), { mode: 0o600 });
    } catch {
      rmSync(this.#note, { force: true });
    }
  }

  #readNote(): string | undefined {
    return existsSync(this.#note) ? readFileSync(this.#note, "utf8") : undefined;
  }

  #fingerprint(): string {
    const { size, mtimeMs } = statSync(this.#data);
    return `${size} ${mtimeMs}`;
  }
}

const CONDEMNED = "damaged";
