import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LogFile } from "../serve/log-file.js";
import { followLines, lastLines } from "./show-logs.js";

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "curlew-tail-")), "curlew.log");
});
afterEach(() => rmSync(join(path, ".."), { recursive: true, force: true }));

describe("the last lines of a log", () => {
  it("include those of the previous file", () => {
    writeFileSync(`${path}.1`, "one\ntwo\n");
    writeFileSync(path, "three\nfour\n");
    expect(lastLines(path, 1)).toEqual(["four"]);
    expect(lastLines(path, 3)).toEqual(["two", "three", "four"]);
    expect(lastLines(path, 9)).toEqual(["one", "two", "three", "four"]);
  });

  it("are empty without a log", () => {
    expect(lastLines(path, 3)).toEqual([]);
  });

  it("are complete, however long the file is", () => {
    writeFileSync(path, `${"x".repeat(5 * 1024 * 1024)}\n${"é".repeat(50_000)}\nlast\n`);
    expect(lastLines(path, 10)).toEqual(["é".repeat(50_000), "last"]);
  });
});

describe("following a log", () => {
  /** Runs one step of the test at each poll. */
  async function followed(steps: readonly (() => void)[]): Promise<string[]> {
    const leaving = new AbortController();
    const lines: string[] = [];
    const left = [...steps];
    const wait = async () => {
      const step = left.shift();
      if (step === undefined) leaving.abort();
      else step();
    };
    await followLines({ path, onLine: (line) => lines.push(line), wait, signal: leaving.signal });
    return lines;
  }

  it("reports new lines once they are complete", async () => {
    writeFileSync(path, "old\n");
    const lines = await followed([() => appendFileSync(path, "one\ntw"), () => appendFileSync(path, "o\n"), () => {}]);
    expect(lines).toEqual(["one", "two"]);
  });

  it("waits for a log that does not exist yet", async () => {
    expect(await followed([() => {}, () => writeFileSync(path, "first\n"), () => {}])).toEqual(["first"]);
  });

  it("loses nothing when the log rotates", async () => {
    const file = new LogFile(path, { maxBytes: 30 });
    const write = (...numbers: number[]) => {
      for (const number of numbers) file.write(`line ${number}\n`);
    };
    const lines = await followed([() => write(1, 2), () => write(3, 4, 5), () => write(6, 7, 8), () => {}]);
    file.close();
    expect(lines).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `line ${number}`));
  });

  it("reads what was written just before a file was renamed", async () => {
    writeFileSync(path, "");
    const rotate = () => {
      appendFileSync(path, "before\n");
      renameSync(path, `${path}.1`);
      writeFileSync(path, "after\n");
    };
    expect(await followed([rotate, () => {}])).toEqual(["before", "after"]);
  });
});
