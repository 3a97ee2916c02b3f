import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { replaceFile } from "./replace-file.js";
import { WatchedFile } from "./watched-file.js";

let folder = "";
let path = "";
let nowMs = 0;
let reads: (string | undefined)[] = [];
let problems: unknown[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "file.json");
  nowMs = 0;
  reads = [];
  problems = [];
});

function watch(): WatchedFile<string> {
  return new WatchedFile({
    path,
    parse(text) {
      reads.push(text);
      if (text === "broken") throw new Error("broken");
      return text ?? "none";
    },
    whenUnusable: "unusable",
    elapsed: () => nowMs,
    onProblem: (problem) => problems.push(problem),
  });
}

describe("a watched file", () => {
  it("is read on first use, and again only after it has changed", () => {
    writeFileSync(path, "one");
    const file = watch();
    expect(reads).toEqual([]);
    expect(file.current).toBe("one");
    nowMs = 5_000;
    expect(file.current).toBe("one");
    replaceFile(path, "two");
    nowMs = 10_000;
    expect(file.current).toBe("two");
    expect(reads).toEqual(["one", "two"]);
  });

  it("is checked at most once a second", () => {
    writeFileSync(path, "one");
    const file = watch();
    expect(file.current).toBe("one");
    replaceFile(path, "two");
    nowMs = 999;
    expect(file.current).toBe("one");
    nowMs = 1_000;
    expect(file.current).toBe("two");
  });

  it("is read again if replaced by one of the same size and time", () => {
    const moment = new Date("2026-01-01");
    writeFileSync(path, "one");
    utimesSync(path, moment, moment);
    const file = watch();
    expect(file.current).toBe("one");
    replaceFile(path, "two");
    utimesSync(path, moment, moment);
    nowMs = 1_000;
    expect(file.current).toBe("two");
  });

  it("may appear and disappear", () => {
    const file = watch();
    expect(file.current).toBe("none");
    writeFileSync(path, "one");
    nowMs = 1_000;
    expect(file.current).toBe("one");
    rmSync(path);
    nowMs = 2_000;
    expect(file.current).toBe("none");
  });

  it("keeps its last value while it is broken, and reports that once", () => {
    writeFileSync(path, "one");
    const file = watch();
    expect(file.current).toBe("one");
    replaceFile(path, "broken");
    for (nowMs = 1_000; nowMs < 5_000; nowMs += 1_000) expect(file.current).toBe("one");
    expect(problems).toHaveLength(1);
    replaceFile(path, "two");
    expect(file.current).toBe("two");
  });

  it("has the fallback value if it was broken from the start", () => {
    writeFileSync(path, "broken");
    expect(watch().current).toBe("unusable");
    expect(problems).toHaveLength(1);
  });

  it("is not read if it is too large", () => {
    writeFileSync(path, Buffer.alloc(5 * 1024 * 1024));
    expect(watch().current).toBe("unusable");
    expect([reads, problems.length]).toEqual([[], 1]);
  });

  it("is not read if it is a folder", () => {
    path = folder;
    const file = watch();
    expect(file.current).toBe("unusable");
    nowMs = 1_000;
    expect(file.current).toBe("unusable");
    expect(problems).toHaveLength(1);
  });
});
