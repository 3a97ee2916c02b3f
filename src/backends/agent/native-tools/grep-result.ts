import type { GrepUnionResult } from "../../../gen/agent_v1_pb.js";
import { isBareCount, isEmptyFinding, parseGrepMatches, saysTruncated } from "./grep-matches.js";

type Finding = Exclude<GrepUnionResult["result"], { case: undefined }>["case"];
export type GrepMode = "content" | "files_with_matches" | "count";

/** Where text goes that names no file. */
const UNNAMED = "output";

/** What a search tool said, in the shape of the mode it was asked for; text that has another shape is passed on whole. */
export function toGrepFinding(text: string, mode: GrepMode, searchedFile: string | undefined) {
  const said = isEmptyFinding(text) ? "" : text;
  if (mode === "count") return toCounts(said) ?? toContent(said, searchedFile);
  if (mode === "content") return toContent(said, searchedFile);
  // A tool that knows no modes answers with the matches themselves.
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

function toContent(text: string, searchedFile: string | undefined) {
  const { files, rest } = parseGrepMatches(text, searchedFile);
  const matches = [...files].map(([file, found]) => ({ file, matches: [...found] }));
  const all = matches.flatMap((file) => file.matches);
  if (rest.length > 0) {
    const content = matches.length === 0 ? text : rest.join("\n");
    matches.push({ file: UNNAMED, matches: [{ lineNumber: 1, content, isContextLine: false }] });
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
