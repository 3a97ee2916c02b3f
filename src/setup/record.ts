import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE, writeClientFile } from "./client-file.js";

const SetupRecord = z.object({
  file: z.string(),
  /** Where the earlier text is; null if there was no file. */
  backup: z.string().nullable(),
  /** What was written, so that later changes of the user can be told from it. */
  written: z.string(),
  /** The gateway's key, if it may stand in there: it must not be shown when that is taken back. */
  key: z.string().optional(),
  /** Folders that were made for it, innermost first. */
  folders: z.array(z.string()),
});

/** What must be known to undo a setup. */
export type SetupRecord = z.infer<typeof SetupRecord>;

/** One for each file that was set up, in Curlew's own folder. */
export class SetupRecords {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, "setup");
  }

  read(file: string): SetupRecord | undefined {
    try {
      return SetupRecord.parse(JSON.parse(readFileSync(this.#place(file), "utf8")));
    } catch {
      return undefined; // none, or one that nobody can make sense of
    }
  }

  write(record: SetupRecord): void {
    writeClientFile(this.#place(record.file), `${JSON.stringify(record, null, 2)}\n`, PRIVATE);
  }

  remove(file: string): void {
    rmSync(this.#place(file), { force: true });
  }

  #place(file: string): string {
    return join(this.#folder, `${createHash("sha256").update(file).digest("hex").slice(0, 16)}.json`);
  }
}
