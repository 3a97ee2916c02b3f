import { existsSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { applyPatch, structuredPatch } from "diff";
import type { ClientFile, Target } from "./client.js";
import { PRIVATE, readClientFile, writeClientFile } from "./client-file.js";
import { editedText, editText, readSettings, UneditableError } from "./edited-text.js";
import type { Format } from "./formats/format.js";
import type { SetupRecord, SetupRecords } from "./record.js";
import { editsToRevert } from "./revert.js";

/** A change of one file, worked out but not made yet. */
export interface Change {
  readonly file: string;
  /** Undefined = there is no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Where the earlier text will be, or is. */
  readonly backup: string | undefined;
  /** What may stand in either text and must not be shown. */
  readonly secrets: readonly string[];
  make(): void;
}

/** Points a client at the gateway. The very same text before and after means that it is. */
export function planSetup(file: string, client: ClientFile, target: Target, records: SetupRecords): Change {
  const before = readClientFile(file);
  const after = editedText(before ?? "", client.format, { wanted: client.wanted(target), defaults: client.defaults });
  const record = records.read(file);
  const original = record === undefined ? before : originalText(before, record, client.format);
  const backup = original === undefined ? null : (record?.backup ?? freeBackup(file));
  return {
    file,
    before,
    after,
    backup: backup ?? undefined,
    secrets: secretsIn(target.key, record?.key),
    make() {
      if (backup !== null && original !== undefined) writeBackup(backup, original);
      const made = writeClientFile(file, after, target.key === undefined ? 0o644 : PRIVATE);
      const folders = [...made, ...(record?.folders ?? [])];
      records.write({ file, backup, written: after, folders, ...(target.key !== undefined && { key: target.key }) });
    },
  };
}

/** Takes back what `planSetup` did; undefined if it did nothing that is known. */
export function planUndo(file: string, format: Format, records: SetupRecords): Change | undefined {
  const record = records.read(file);
  if (record === undefined) return undefined;
  const before = readClientFile(file);
  const after = originalText(before, record, format);
  return {
    file,
    before,
    after,
    backup: record.backup ?? undefined,
    secrets: secretsIn(record.key),
    make() {
      if (after === undefined) removeFile(record);
      else writeClientFile(file, after, PRIVATE);
      if (record.backup !== null) rmSync(record.backup, { force: true });
      records.remove(file);
    },
  };
}

/** The text without what was set up; what has changed since stays. */
function originalText(now: string | undefined, { backup, written }: SetupRecord, format: Format): string | undefined {
  const original = backup === null ? undefined : readClientFile(backup);
  if (backup !== null && original === undefined) throw new UneditableError(`its backup ${backup} is gone`);
  if (now === written || now === undefined) return original;
  const back = structuredPatch("", "", written, original ?? "", "", "", { context: 1 });
  const text = applyPatch(now, back, { autoConvertLineEndings: false }) || revertedText(now, written, original, format);
  const isEmpty = isDeepStrictEqual(readSettings(text, format), {});
  return original === undefined && isEmpty ? undefined : text;
}

function revertedText(now: string, written: string, original: string | undefined, format: Format): string {
  const [ours, before] = [written, original ?? ""].map((text) => readSettings(text, format));
  return editText(now, format, (current) => editsToRevert(current, ours, before));
}

function secretsIn(...keys: readonly (string | undefined)[]): string[] {
  return keys.filter((key) => key !== undefined);
}

function removeFile({ file, folders }: SetupRecord): void {
  rmSync(file, { force: true });
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      return; // somebody else keeps something there
    }
  }
}

/** May hold keys of other services, so it is for the owner alone. */
function writeBackup(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: PRIVATE, flag: "wx" });
}

function freeBackup(file: string): string {
  const first = `${file}.before-curlew`;
  let name = first;
  for (let number = 2; existsSync(name); number++) name = `${first}-${number}`;
  return name;
}
