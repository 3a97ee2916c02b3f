import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** The approvals of one workspace. One change after another: each reads what the one before has written. */
export class Approvals {
  readonly #file: string;
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  add(keys: readonly string[]): Promise<void> {
    return this.#change((all) => [...new Set([...all, ...keys])]);
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#change((all) => all.filter((key) => !keys.some((gone) => gone === key)));
  }

  /** Resolves when all that was begun is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  #change(edit: (all: readonly unknown[]) => readonly unknown[]): Promise<void> {
    const change = this.#last.then(async () => {
      const all = await this.#read();
      const edited = edit(all);
      if (edited.length === all.length) return;
      const next = JSON.stringify(edited);
      await mkdir(dirname(this.#file), { recursive: true });
      // The CLI may read at any time: it finds the old list or the new one, never half of either.
      const draft = `${this.#file}.${randomUUID()}`;
      await writeFile(draft, next, { mode: 0o600 });
      await rename(draft, this.#file);
    });
    this.#last = change.catch(() => {});
    return change;
  }

  /** What others have written stays, whatever it is. A file that is no list is no list for the CLI either. */
  async #read(): Promise<readonly unknown[]> {
    try {
      const all: unknown = JSON.parse(await readFile(this.#file, "utf8"));
      return Array.isArray(all) ? all : [];
    } catch {
      return [];
    }
  }
}
