import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../system/make-folder.js";
import { checkPages } from "./page-check.js";

const CONDEMNED = "damaged";

/** The folder with LMDB's two files, and a note on the state in which the data file was closed. */
export class LmdbFolder {
  readonly #folder: string;
  readonly #data: string;
  readonly #note: string;

  /** Makes the folder if it is missing, readable by its owner alone. @throws Error of the file system when it cannot be made */
  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#note = join(folder, "left");
    makeFolder(folder);
    chmodSync(folder, 0o700);
  }

  /** A file that has not changed since it was closed is not checked, because the check of a large file takes seconds. */
  async isDamaged(): Promise<boolean> {
    if (!existsSync(this.#data)) return false;
    const note = this.#readNote();
    return note === CONDEMNED || (note !== this.#fingerprint() && (await checkPages(this.#data)) === "damaged");
  }

  seal(): void {
    if (this.#readNote() !== CONDEMNED) this.#writeNote(() => this.#fingerprint());
  }

  /** Marks the file as damaged: this process continues with what it can read, the next one starts afresh. */
  condemn(): void {
    this.#writeNote(() => CONDEMNED);
  }

  /** Moves the data file away, and returns where to. Only the newest such file is kept, for inspection. */
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
