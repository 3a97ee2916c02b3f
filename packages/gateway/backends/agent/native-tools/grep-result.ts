import type { GrepUnionResult } from "@curlew/wire/gen/agent_v1_pb.js";

type Finding = Exclude<GrepUnionResult["result"], { case: undefined }>["case"];
export type GrepMode = "content" | "files_with_matches" | "count";

const UNNAMED = "output";

/** Converts a search tool's output to the shape of the requested mode. Text of another shape is passed on whole. */
export function toGrepFinding(text: string, mode: GrepMode, searchedFile: string | undefined) {
  const said = isEmptyFinding(text) ? "" : text;
  if (mode === "count") return toCounts(said) ?? toContent(said, searchedFile);
  if (mode === "content") return toContent(said, searchedFile);
  // A tool without modes answers with the matches themselves.
  return parseGrepMatches(said, undefined).files.size > 0 ? toContent(said, searchedFile) : toFiles(said);
}

export function toFiles(text: string) {
  const said = isEmptyFinding(text) ? "" : text;
  const files = linesOf(said).filter((line) => !isBareCount(line));
  return {
    case: "files" as const satisfies Finding,
    value: { files, totalFiles: files.length, clientTruncated: files.some(saysTruncated) },
  };
}

/** Adds the user's words. Names and counts have no field for them, so these findings become text as a whole. */
export function withWords(finding: ReturnType<typeof toGrepFinding>, text: string, words: string) {
  if (finding.case !== "content") {
    const value = { matches: [unnamed(text + words)], totalLines: 0, totalMatchedLines: 0, clientTruncated: false };
    return { case: "content" as const satisfies Finding, value };
  }
  const { matches, ...rest } = finding.value;
  return { ...finding, value: { ...rest, matches: [...matches, unnamed(words)] } };
}

function unnamed(content: string) {
  return { file: UNNAMED, matches: [{ lineNumber: 1, content, isContextLine: false }] };
}

function toContent(text: string, searchedFile: string | undefined) {
  const { files, rest } = parseGrepMatches(text, searchedFile);
  const matches = [...files].map(([file, found]) => ({ file, matches: found }));
  const all = matches.flatMap((file) => file.matches);
  if (rest.length > 0) {
    const content = matches.length === 0 ? text : rest.join("\n");
    matches.push(unnamed(content));
  }
  return {
    case: "content" as const satisfies Finding,
    value: {
      matches,
      totalLines: all.length,
      totalMatchedLines: all.filter(({ isContextLine }) => !isContextLine).length,
      clientTruncated: rest.some(saysTruncated),
    },
  };
}

/** Undefined when not every line is `path:count`. */
function toCounts(text: string) {
  const counts: { file: string; count: number }[] = [];
  for (const line of linesOf(text)) {
    const [, file, count] = /^(.+):(\d{1,9})$/.exec(line) ?? [];
    if (file !== undefined) counts.push({ file, count: Number(count) });
    else if (!isBareCount(line)) return undefined;
  }
  const totalMatches = counts.reduce((sum, { count }) => sum + count, 0);
  return { case: "count" as const satisfies Finding, value: { counts, totalFiles: counts.length, totalMatches } };
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

interface Located {
  readonly path: string;
  readonly lineNumber: number;
  readonly content: string;
  readonly isContextLine: boolean;
}

/** Reads `path:12:text`, context as `path-11-text`, and numbered lines below a file's name, else of `searchedFile`. All others are `rest`. */
export function parseGrepMatches(text: string, searchedFile: string | undefined) {
  const files = new Map<string, Omit<Located, "path">[]>();
  const rest: string[] = [];
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const paths = new Set(lines.flatMap((line) => readMatch(line)?.path ?? []));
  let current = searchedFile;
  /** The last unnumbered line: the name of a file if a numbered line follows, otherwise one more line of the rest. */
  let pending: string | undefined;
  for (const line of lines) {
    if (line.trim() === "" || /^-{2,}$/.test(line.trim())) continue;
    const owner = pending === undefined ? current : (HEADING.exec(pending.trim())?.[1] ?? pending);
    const located = readMatch(line) ?? readContext(line, paths);
    const found = located ?? (owner === undefined ? undefined : readNumbered(line, owner));
    if (pending !== undefined && (found === undefined || located !== undefined)) rest.push(pending);
    pending = undefined;
    if (found === undefined) {
      if (/^found \d+ /i.test(line.trim())) rest.push(line);
      else pending = line;
      continue;
    }
    if (located === undefined) current = found.path;
    const { path, ...match } = found;
    const matches = files.get(path);
    if (matches === undefined) files.set(path, [match]);
    else matches.push(match);
  }
  if (pending !== undefined) rest.push(pending);
  return { files, rest: rest.filter((line) => !isBareCount(line)) };
}

const HEADING = /^(?:file: *|#+ +)?(\S.*?):?$/i;

const NOTHING_FOUND =
  /^(?:no (?:matches|files|results)(?: were)? found|found 0 (?:matches|results|files))(?: (?:for|matching) [^\n]*)?\.?$/i;

function isEmptyFinding(text: string): boolean {
  return NOTHING_FOUND.test(text.trim());
}

function saysTruncated(line: string): boolean {
  return /\btruncated\b|\bmore (?:matches|results|files)\b/i.test(line);
}

/** True for a line that only repeats a count of the typed answer. */
function isBareCount(line: string): boolean {
  return /^found \d+ (?:total )?(?:match(?:es)?|results?|files?|lines?)[.:]?$/i.test(line.trim());
}

function readMatch(line: string): Located | undefined {
  const [, path, lineNumber, content] = /^((?:[a-z]:[\\/])?[^:]+):(\d{1,9}):(.*)$/i.exec(line) ?? [];
  if (path === undefined || /^[\s\d]*$/.test(path)) return undefined;
  return { path, lineNumber: Number(lineNumber), content: content ?? "", isContextLine: false };
}

/** Dashes are common in names and in text, so a context line counts only below the name of a file with a match. */
function readContext(line: string, paths: ReadonlySet<string>): Located | undefined {
  for (const { index, 0: mark, 1: lineNumber } of line.matchAll(/-(\d{1,9})(?=-)/g)) {
    const path = line.slice(0, index);
    if (!paths.has(path)) continue;
    const content = line.slice(index + mark.length + 1);
    return { path, lineNumber: Number(lineNumber), content, isContextLine: true };
  }
  return undefined;
}

function readNumbered(line: string, path: string): Located | undefined {
  const [, lineNumber, mark, content] = /^\s*(?:line |l)?(\d{1,9})(:|-| \|) ?(.*)$/i.exec(line) ?? [];
  if (lineNumber === undefined) return undefined;
  return { path, lineNumber: Number(lineNumber), content: content ?? "", isContextLine: mark === "-" };
}
