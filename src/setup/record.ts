import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE, writeClientFile } from "./client-file.js";

const SetupRecord = z.object({
  file: z.string(),
  /** The path of the earlier text's copy; null if there was no file. */
  backup: z.string().nullable(),
  /** The written text, so that later changes of the user can be distinguished from it. */
  written: z.string(),
  /** The gateway's key, if the text may contain it: an undo must not show it. */
  key: z.string().optional(),
  /** Folders that were created for the file, innermost first. */
  folders: z.array(z.string()),
});

export type SetupRecord = z.infer<typeof SetupRecord>;

export class SetupRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(file: string): SetupRecord | undefined {
    try {
      return SetupRecord.parse(JSON.parse(readFileSync(this.#recordPath(file), "utf8")));
    } catch {
      return undefined; // there is none, or it is unreadable
    }
  }

  write(record: SetupRecord): void {
    writeClientFile(this.#recordPath(record.file), `${JSON.stringify(record, null, 2)}\n`, PRIVATE);
  }

  remove(file: string): void {
    rmSync(this.#recordPath(file), { force: true });
  }

  #recordPath(file: string): string {
    return join(this.#folder, `${createHash("sha256").update(file).digest("hex").slice(0, 16)}.json`);
  }
}
