import { describe, expect, it } from "vitest";
import { cpuMsOf } from "../../../../../testing/cpu-time.js";
import { type GrepMode, parseGrepMatches, toGrepFinding } from "./grep-result.js";

const hit = (lineNumber: number, content: string) => ({ lineNumber, content, isContextLine: false });
const near = (lineNumber: number, content: string) => ({ lineNumber, content, isContextLine: true });
const parse = (text: string, searchedFile?: string) => {
  const { files, rest } = parseGrepMatches(text, searchedFile);
  return { files: Object.fromEntries(files), rest };
};

describe("matches in a search tool's text", () => {
  it("are read from lines with path and number, with their context", () => {
    expect(parse("my-app/a-1.ts-9-before\nmy-app/a-1.ts:10:x = 3-4-5;\n--\nb.ts:2: y: z")).toEqual({
      files: { "my-app/a-1.ts": [near(9, "before"), hit(10, "x = 3-4-5;")], "b.ts": [hit(2, " y: z")] },
      rest: [],
    });
  });

  it("are read from Windows paths", () => {
    expect(parse("C:\\repo\\a.ts:7:x\r\n").files).toEqual({ "C:\\repo\\a.ts": [hit(7, "x")] });
  });

  it("are read from numbered lines below the name of their file", () => {
    expect(parse("Found 3 matches\n/r/a.ts:\n  Line 3: foo\n  Line 9: foo: 2\n\n/r/b.ts:\n  Line 1: bar")).toEqual({
      files: { "/r/a.ts": [hit(3, "foo"), hit(9, "foo: 2")], "/r/b.ts": [hit(1, "bar")] },
      rest: [],
    });
    expect(parse('Found 1 match for pattern "x" in path ".":\n---\nFile: a.ts\nL12: x\n---')).toEqual({
      files: { "a.ts": [hit(12, "x")] },
      rest: ['Found 1 match for pattern "x" in path ".":'],
    });
    expect(parse("# src/a.ts\n  1 | one\n  2 | two").files).toEqual({ "src/a.ts": [hit(1, "one"), hit(2, "two")] });
  });

  it("belong to the searched file when they have no name", () => {
    expect(parse("3:foo\n4-bar", "/r/a.ts").files).toEqual({ "/r/a.ts": [hit(3, "foo"), near(4, "bar")] });
    expect(parse("12:34:foo", "/r/a.ts").files).toEqual({ "/r/a.ts": [hit(12, "34:foo")] });
    expect(parse("3:foo")).toEqual({ files: {}, rest: ["3:foo"] });
  });

  it("leave every other line in the rest", () => {
    expect(parse("b.ts-2-y\na.ts:1:x")).toEqual({ files: { "a.ts": [hit(1, "x")] }, rest: ["b.ts-2-y"] });
    expect(parse("Search results:\n\na.ts:1:x\n\n[Results truncated: showing 100 of 200 matches]")).toEqual({
      files: { "a.ts": [hit(1, "x")] },
      rest: ["Search results:", "[Results truncated: showing 100 of 200 matches]"],
    });
  });

  it("are read in linear time", () => {
    const long = `${"x-1".repeat(200_000)}\n${"a".repeat(500_000)}`;
    const many = Array.from({ length: 20_000 }, (_, index) => `f${index}.ts:1:x\nf${index}.ts-2-y`).join("\n");
    const read = () => {
      expect(Object.keys(parse(long).files)).toEqual([]);
      expect(Object.keys(parse(many).files)).toHaveLength(20_000);
    };
    expect(cpuMsOf(read)).toBeLessThan(5_000);
  });
});

describe("what a search found", () => {
  const find = (text: string, mode: GrepMode = "content") => toGrepFinding(text, mode, undefined);

  it.each(["No matches found", "No files found", 'No matches found for pattern "x" in path ".".', ""])(
    "is empty when the tool says so: %j",
    (text) => {
      expect(find(text)).toMatchObject({ case: "content", value: { matches: [] } });
      expect(find(text, "files_with_matches")).toMatchObject({ case: "files", value: { files: [] } });
      expect(find(text, "count")).toMatchObject({ case: "count", value: { counts: [] } });
    },
  );

  it("is passed on whole when no line parses", () => {
    const text = "## Matches in src/a.rs\n\n### fn main › L1-2\n```\nfn main() {}\n```";
    const matches = [{ file: "output", matches: [{ lineNumber: 1, content: text }] }];
    expect(find(text)).toMatchObject({ value: { matches, totalMatchedLines: 0 } });
  });

  it("keeps the lines beside the matches, and notices truncation", () => {
    const more = { file: "output", matches: [{ content: "(more matches available)" }] };
    expect(find("a.ts:1:x\n(more matches available)")).toMatchObject({
      value: { matches: [{ file: "a.ts" }, more], totalLines: 1, clientTruncated: true },
    });
    expect(find("a.ts\n(Results are truncated)", "files_with_matches")).toMatchObject({
      case: "files",
      value: { files: ["a.ts", "(Results are truncated)"], clientTruncated: true },
    });
  });

  it("is counted per file, unless the tool counts in another way", () => {
    const counts = [
      { file: "a.ts", count: 3 },
      { file: "b.ts", count: 4 },
    ];
    expect(find("a.ts:3\nb.ts:4", "count")).toMatchObject({
      case: "count",
      value: { counts, totalFiles: 2, totalMatches: 7 },
    });
    const matches = [{ file: "output", matches: [{ content: "7 in all" }] }];
    expect(find("7 in all", "count")).toMatchObject({ case: "content", value: { matches } });
  });

  it("is the matches themselves when a tool without modes was asked for names", () => {
    expect(find("a.ts:1:x", "files_with_matches")).toMatchObject({ case: "content" });
  });
});
