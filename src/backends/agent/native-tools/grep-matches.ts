export interface GrepMatch {
  readonly lineNumber: number;
  readonly content: string;
  readonly isContextLine: boolean;
}

/** The matches of each file, and the lines that are none, in their order. */
export interface GrepMatches {
  readonly files: ReadonlyMap<string, readonly GrepMatch[]>;
  readonly rest: readonly string[];
}

interface Located extends GrepMatch {
  readonly path: string;
}

/**
 * The matches in a search tool's text: `path:12:text`, context as `path-11-text`, or numbered lines below the name of
 * their file. Numbered lines without a name belong to `searchedFile`. No line is lost: what does not parse is the rest.
 */
export function parseGrepMatches(text: string, searchedFile: string | undefined): GrepMatches {
  const files = new Map<string, GrepMatch[]>();
  const rest: string[] = [];
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const paths = new Set(lines.flatMap((line) => readMatch(line)?.path ?? []));
  let current = searchedFile;
  /** The name of a file if a numbered line follows, else one more line of the rest. */
  let pending: string | undefined;
  for (const line of lines) {
    if (line.trim() === "" || /^-{2,}$/.test(line.trim())) continue;
    const owner = pending === undefined ? current : readHeading(pending);
    const located = readMatch(line) ?? readContext(line, paths);
    const found = located ?? (owner === undefined ? undefined : readNumbered(line, owner));
    if (pending !== undefined && (found === undefined || located !== undefined)) rest.push(pending);
    pending = undefined;
    if (found === undefined) {
      if (isHeadline(line)) rest.push(line);
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

const nothingFound =
  /^(?:no (?:matches|files|results)(?: were)? found|found 0 (?:matches|results|files))(?: (?:for|matching) [^\n]*)?\.?$/i;

/** True for a text that says just that nothing was found. */
export function isEmptyFinding(text: string): boolean {
  return nothingFound.test(text.trim());
}

export function saysTruncated(line: string): boolean {
  return /\btruncated\b|\bmore (?:matches|results|files)\b/i.test(line);
}

/** True for a line that counts what the typed answer counts anyway, and says nothing else. */
export function isBareCount(line: string): boolean {
  return /^found \d+ (?:total )?(?:match(?:es)?|results?|files?|lines?)[.:]?$/i.test(line.trim());
}

function isHeadline(line: string): boolean {
  return /^found \d+ /i.test(line.trim());
}

function readMatch(line: string): Located | undefined {
  const [, path, lineNumber, content] = /^((?:[a-z]:[\\/])?[^:]+):(\d{1,9}):(.*)$/i.exec(line) ?? [];
  if (path === undefined || /^[\s\d]*$/.test(path)) return undefined;
  return { path, lineNumber: Number(lineNumber), content: content ?? "", isContextLine: false };
}

/** Dashes are common in names and in text, so only the name of a file with a match counts. */
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

function readHeading(line: string): string {
  return /^(?:file: *|#+ +)?(\S.*?):?$/i.exec(line.trim())?.[1] ?? line;
}
