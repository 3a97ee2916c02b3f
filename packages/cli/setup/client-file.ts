import { hash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { z } from "zod";
import { attempt } from "./attempt.js";
import { UneditableError } from "./edited-text.js";

const MAX_BYTES = 4 * 1_048_576;
export const PRIVATE = 0o600;

/** The real path of a file, through links, even if the file does not exist yet. */
export function realFile(path: string): string {
  const there = unlessMissing(() => realpathSync(path));
  if (there !== undefined) return there;
  const isLink = unlessMissing(() => lstatSync(path))?.isSymbolicLink() === true;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : resolve(path);
}

/** The text of a file with its byte order mark; undefined if there is none. @throws {UneditableError} Too large, or not UTF-8. */
export function readClientFile(path: string): string | undefined {
  const bytes = unlessMissing(() => {
    if (statSync(path).size > MAX_BYTES) throw new UneditableError("it is too large for a settings file");
    return readFileSync(path);
  });
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new UneditableError("it is not UTF-8 text", { cause: thrown });
  }
}

/** Writes a file atomically, with its permissions or else `mode`. Returns the folders that were created. */
export function writeClientFile(path: string, text: string, mode: number): string[] {
  const folders = makeFolders(dirname(path));
  const old = statSync(path, { throwIfNoEntry: false });
  replaceFile(path, text, old === undefined ? mode : old.mode & 0o7777);
  return folders;
}

/** The innermost folder comes first, so that they can be removed in this order. */
function makeFolders(folder: string): string[] {
  const first = mkdirSync(folder, { recursive: true });
  const made: string[] = [];
  if (first === undefined) return made;
  for (let each = resolve(folder); each !== dirname(resolve(first)); each = dirname(each)) made.push(each);
  return made;
}

const SetupRecord = z.object({
  file: z.string(),
  /** The path of the backup; null if there was no file. */
  backup: z.string().nullable(),
  /** The written text, so that later changes of the user can be distinguished from it. */
  written: z.string(),
  model: z.string().optional(),
  /** The gateway's key, if the text may contain it: an undo must not show it. */
  key: z.string().optional(),
  /** Folders that were created for the file, innermost first. */
  folders: z.array(z.string()),
});

export type SetupRecord = z.infer<typeof SetupRecord>;

export type SetupRecords = ReturnType<typeof recordsIn>;

export function recordsIn(folder: string) {
  const pathOf = (file: string) => join(folder, `${hash("sha256", file, "hex").slice(0, 16)}.json`);
  return {
    /** Undefined if there is none, or if it is unreadable. */
    read: (file: string) => attempt(() => SetupRecord.parse(JSON.parse(readFileSync(pathOf(file), "utf8")))),
    write(record: SetupRecord): void {
      writeClientFile(pathOf(record.file), `${JSON.stringify(record, null, 2)}\n`, PRIVATE);
    },
    remove: (file: string) => rmSync(pathOf(file), { force: true }),
  };
}
