import { existsSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { harmlessText } from "@curlew/gateway/system/shown-on.js";
import { applyPatch, structuredPatch } from "diff";
import type { Colors } from "../terminal/print.js";
import { attempt } from "./attempt.js";
import type { ClientFile, Content, Target } from "./client.js";
import { PRIVATE, readClientFile, type SetupRecord, type SetupRecords, writeClientFile } from "./client-file.js";
import { editedText, editText, readSettings, UneditableError } from "./edited-text.js";
import type { Format } from "./formats/format.js";
import { childOf, type Edit, isObject } from "./merge.js";

export interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly backup: string | undefined;
  /** Secrets in either text, which must not be shown. */
  readonly secrets: readonly string[];
  readonly summary?: string | undefined;
  make(): void;
}

/** Plans to point a client at the gateway; before and after are equal if it already is. @throws {UneditableError} */
export function planSetup(file: string, content: Content, target: Target, records: SetupRecords): Change {
  const { format, summary } = content;
  const before = readClientFile(file);
  const after = editedText(before ?? "", format, content.wanted?.(target) ?? {});
  const record = records.read(file);
  const original = record === undefined ? before : originalText(before, record, content);
  const backup = original === undefined ? null : (record?.backup ?? freeBackup(file));
  return {
    file,
    before,
    after,
    backup: backup ?? undefined,
    secrets: secretsIn(target.key, record?.key),
    summary,
    make() {
      if (backup !== null && original !== undefined) {
        rmSync(backup, { force: true });
        // The file may hold keys of other services, so only the owner may read it.
        writeFileSync(backup, original, { mode: PRIVATE, flag: "wx" });
      }
      const made = writeClientFile(file, after, target.key === undefined ? 0o644 : PRIVATE);
      const folders = [...made, ...(record?.folders ?? [])];
      const { key, model } = target;
      records.write({ file, backup, written: after, folders, model, ...(key !== undefined && { key }) });
    },
  };
}

/** Plans to undo what `planSetup` did; undefined if there is no record of it. @throws {UneditableError} */
export function planUndo(file: string, content: Content, records: SetupRecords): Change | undefined {
  const record = records.read(file);
  if (record === undefined) return undefined;
  const before = readClientFile(file);
  const after = originalText(before, record, content);
  return {
    file,
    before,
    after,
    backup: record.backup ?? undefined,
    secrets: secretsIn(record.key),
    summary: content.summary,
    make() {
      if (after === undefined) removeFile(record);
      else writeClientFile(file, after, PRIVATE);
      if (record.backup !== null) rmSync(record.backup, { force: true });
      records.remove(file);
    },
  };
}

/** The model that an earlier setup chose, or that was chosen in the client since; undefined without an earlier setup. */
export function keptModel(file: string, client: ClientFile, records: SetupRecords): string | undefined {
  const record = records.read(file);
  return record && (attempt(() => chosenSince(readClientFile(file) ?? "", record, client))?.model ?? record.model);
}

/** The model that the file names now, if it is one of the gateway's, and the edit that makes it the written one again. */
function chosenSince(
  now: string,
  { written, model: ours }: SetupRecord,
  { format, modelAt = [], providerAt }: Content,
) {
  const at = (path: readonly string[]) =>
    [written, now].map((text) => path.reduce<unknown>(childOf, readSettings(text, format)));
  const [before, after] = at(modelAt);
  const [provider, providerNow] = providerAt === undefined ? [] : at(providerAt);
  if (ours === undefined || typeof before !== "string" || typeof after !== "string") return undefined;
  // Some clients want the provider's name before the model's.
  const prefix = before.slice(0, before.length - ours.length);
  if (provider !== providerNow || !after.startsWith(prefix)) return undefined;
  return { model: after.slice(prefix.length), undo: { path: modelAt, value: before } };
}

function originalText(found: string | undefined, record: SetupRecord, content: Content): string | undefined {
  const { backup, written } = record;
  const { format } = content;
  const original = backup === null ? undefined : readClientFile(backup);
  if (backup !== null && original === undefined) throw new UneditableError(`its backup ${backup} is gone`);
  if (found === undefined) return original;
  // The name of a model of the gateway is of no use to the client without it.
  const since = chosenSince(found, record, content);
  const now = since === undefined || since.model === record.model ? found : editText(found, format, () => [since.undo]);
  if (now === written) return original;
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
      return; // the folder is not empty
    }
  }
}

function freeBackup(file: string): string {
  const first = `${file}.before-curlew`;
  let name = first;
  for (let number = 2; existsSync(name); number++) name = `${first}-${number}`;
  return name;
}

/** The edits that undo the change from `original` to `written`. Later changes stay: clients rewrite their settings at every start. */
export function editsToRevert(now: unknown, written: unknown, original: unknown): Edit[] {
  return differences(now, reverted(now, written, original) ?? {}, []);
}

function reverted(now: unknown, written: unknown, original: unknown): unknown {
  if (isDeepStrictEqual(now, written)) return original;
  if (Array.isArray(now) && Array.isArray(written)) {
    const before: unknown[] = Array.isArray(original) ? original : [];
    const added = written.filter((each) => !before.some((old) => isDeepStrictEqual(old, each)));
    const rest = now.filter((each) => !added.some((ours) => covers(each, ours)));
    return rest.length === 0 ? original : rest;
  }
  if (!isObject(now) || !isObject(written)) return now;
  const before = isObject(original) ? original : {};
  const entries = Object.entries(now).map(([key, value]) => [
    key,
    key in written ? reverted(value, written[key], before[key]) : value,
  ]);
  const rest = entries.filter(([, value]) => value !== undefined);
  return rest.length === 0 ? original : Object.fromEntries(rest);
}

/** Whether a member of a list is ours, even if something was added to it. */
function covers(value: unknown, ours: unknown): boolean {
  if (!isObject(value) || !isObject(ours)) return isDeepStrictEqual(value, ours);
  return Object.entries(ours).every(([key, each]) => covers(value[key], each));
}

function differences(from: unknown, to: unknown, path: Edit["path"]): Edit[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && to.every((each) => from.includes(each))) {
    // Members are removed from the end, so that the indices of the others stay valid.
    const gone = from.flatMap((each, index) => (to.includes(each) ? [] : [index])).reverse();
    return gone.map((index) => ({ path: [...path, index], value: undefined }));
  }
  if (!isObject(from) || !isObject(to)) return [{ path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) =>
    key in to ? differences(from[key], to[key], [...path, key]) : [{ path: [...path, key], value: undefined }],
  );
}

/** The change as a unified diff, without secrets and terminal control characters. */
export function showChange(change: Omit<Change, "make" | "backup">, { red, green, dim, bold }: Colors): string {
  const { file, before, after, secrets, summary } = change;
  const { hunks } = structuredPatch("", "", hide(before, secrets), hide(after, secrets), "", "", { context: 3 });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...changed
      .map((line) => harmlessText(withoutForeignKeys(line)))
      .map((line) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line)),
  ]);
  const [from, to] = [before, after].map((text) => (text === undefined ? "/dev/null" : harmlessText(file)));
  const shown = summary === undefined ? lines : [dim(`(${summary})`)];
  return [bold(`--- ${from}`), bold(`+++ ${to}`), ...shown, ""].join("\n");
}

function hide(text: string | undefined, secrets: readonly string[]): string {
  const plain = (text ?? "").replaceAll("\r\n", "\n");
  // In a file, a secret may be escaped for pi, and that for JSON.
  const forPi = secrets.flatMap((secret) => [secret, secret.replaceAll("$", "$$$$")]);
  const spellings = forPi.flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
  return spellings.reduce((now, each) => now.replaceAll(each, "***"), plain);
}

/** A value after the name of a secret, in JSON, TOML, YAML or an env file. */
const NAMED_SECRET =
  /((?:api[-_]?key|token|secret|password|authorization)["']?\s*[:=]\s*)("(?:\\.|[^"\\])*"|'[^']*'|(?:(?:bearer|basic) +)?[^\s"',}\]]+)/gi;
/** What the keys of well-known services look like. */
const KEY = /\b(?:crsr_|curlew_|sk-|gh[pousr]_|github_pat_|AIza|xox[abp]-)[\w-]{8,}/g;
/** Not secrets: references to variables in clients' notations, and placeholders for a key. */
const NO_SECRET = /^["']?(?:\$|\{env:|\{file:|os\.environ\/|anything\b|curlew-|none\b|true\b|false\b|null\b|["']?$)/i;

/** Hides keys of other services, which lines near the change may hold. */
function withoutForeignKeys(line: string): string {
  return line
    .replace(NAMED_SECRET, (all, name: string, value: string) => {
      if (NO_SECRET.test(value)) return all;
      const quote = /^["']/.exec(value)?.[0] ?? "";
      return `${name}${quote}***${quote}`;
    })
    .replace(KEY, "***");
}
