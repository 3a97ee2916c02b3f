import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../make-folder.js";
import { checkPages } from "./page-check.js";

/** The folder with LMDB's two files, and a note on how the data file was left. */
export class StoreFolder {
  readonly #folder: string;
  readonly #data: string;
  readonly #note: string;

  constructor(folder: string) {
    makeFolder(folder);
    chmodSync(folder, 0o700);
    this.#folder = folder;
    this.#data = join(folder, "data.mdb");
    this.#note = join(folder, "left");
  }

  /** A file that is as it was when last closed needs no look: that takes up to a second where it is large. */
  isDamaged(): boolean {
    if (!existsSync(this.#data)) return false;
    const note = this.#readNote();
    return note === condemned || (note !== this.#fingerprint() && checkPages(this.#data) === "damaged");
  }

  seal(): void {
    if (this.#readNote() !== condemned) this.#writeNote(() => this.#fingerprint());
  }

  /** This run goes on with what can be read; the next one starts afresh. */
  condemn(): void {
    this.#writeNote(() => condemned);
  }

  /** One such file is kept, for those who want to look into it. */
  moveAside(nowMs: number, why: string): string {
    for (const name of readdirSync(this.#folder)) {
      if (name.startsWith("aside-")) rmSync(join(this.#folder, name));
    }
    const aside = join(this.#folder, `aside-${nowMs}.mdb`);
    renameSync(this.#data, aside);
    for (const name of [this.#note, join(this.#folder, "lock.mdb")]) rmSync(name, { force: true });
    return `The stored conversation state ${why}: it was moved to ${aside}, and conversations start afresh.`;
  }

  /** The folder may be gone or the disk be full; without a note the next start looks through the file. */
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

const condemned = "damaged";
