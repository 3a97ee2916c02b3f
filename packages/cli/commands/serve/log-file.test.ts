import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { LogFile } from "./log-file.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const line = (number: number) => `line ${String(number).padStart(4, "0")}\n`;

it("rotates before it grows beyond its limit, and loses no line", () => {
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 50, maxFiles: 4 });
  for (let number = 0; number < 18; number++) file.write(line(number));
  file.close();
  const names = ["curlew.log.3", "curlew.log.2", "curlew.log.1", "curlew.log"];
  expect(readdirSync(folder).sort()).toEqual(names.toReversed());
  expect(names.map(read).join("")).toBe(Array.from({ length: 18 }, (_, number) => line(number)).join(""));
});

it("keeps at most maxFiles files, each private and within its limit", () => {
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 50, maxFiles: 3 });
  for (let number = 0; number < 1_000; number++) file.write(line(number));
  file.close();
  const names = ["curlew.log", "curlew.log.1", "curlew.log.2"];
  expect(readdirSync(folder).sort()).toEqual(names);
  for (const name of names) {
    const { size, mode } = statSync(join(folder, name));
    expect(size).toBeLessThanOrEqual(50);
    if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
  }
  expect(read("curlew.log").endsWith(line(999))).toBe(true);
});

it("appends to the file of an earlier start", () => {
  writeFileSync(join(folder, "curlew.log"), "x".repeat(45));
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 50 });
  file.write(line(1));
  file.close();
  expect([read("curlew.log.1"), read("curlew.log")]).toEqual(["x".repeat(45), line(1)]);
});

it("accepts a line longer than the limit", () => {
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 5 });
  file.write(line(1));
  file.write(line(2));
  file.close();
  expect([read("curlew.log.1"), read("curlew.log")]).toEqual([line(1), line(2)]);
});

it("stays in the same file while it cannot be renamed, and retries later", () => {
  const inTheWay = join(folder, "curlew.log.1");
  mkdirSync(inTheWay);
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 20, maxFiles: 2 });
  for (let number = 0; number < 3; number++) file.write(line(number));
  expect(read("curlew.log")).toBe([0, 1, 2].map(line).join(""));
  rmSync(inTheWay, { recursive: true });
  for (let number = 3; number < 6; number++) file.write(line(number));
  file.close();
  expect(read("curlew.log.1") + read("curlew.log")).toBe([0, 1, 2, 3, 4, 5].map(line).join(""));
});

it("reports a line that could not be written", () => {
  const file = new LogFile(join(folder, "curlew.log"));
  file.close();
  const problems: unknown[] = [];
  file.write(line(1), (problem) => problems.push(problem));
  expect(problems).toEqual([expect.objectContaining({ code: "EBADF" })]);
});

it("creates its folder, and refuses a path that cannot be a file", () => {
  new LogFile(join(folder, "deep", "er", "curlew.log")).close();
  expect(() => new LogFile(folder)).toThrow("EISDIR");
});

it("begins a new line after one truncated by a full disk", () => {
  let room = 15;
  const write = (file: number, bytes: NodeJS.ArrayBufferView, at: number) => {
    if (room === 0) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    const count = Math.min(room, bytes.byteLength - at);
    room -= count;
    return writeSync(file, bytes, at, count);
  };
  const file = new LogFile(join(folder, "curlew.log"), {
    fileSystem: { openSync, writeSync: write as typeof writeSync },
  });
  const problems: unknown[] = [];
  for (const number of [0, 1, 2]) file.write(line(number), (problem) => problems.push(problem));
  room = 1_000;
  for (const number of [3, 4]) file.write(line(number));
  file.close();
  expect(problems).toEqual([undefined, ...[1, 2].map(() => expect.objectContaining({ code: "ENOSPC" }))]);
  expect(read("curlew.log")).toBe(`${line(0)}line \n${line(3)}${line(4)}`);
});

it("rotates again after the next file could not be opened", () => {
  let opened = 0;
  const open: typeof openSync = (...args) => {
    if (++opened === 2) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    return openSync(...args);
  };
  const file = new LogFile(join(folder, "curlew.log"), { maxBytes: 20, fileSystem: { openSync: open, writeSync } });
  for (let number = 0; number < 8; number++) file.write(line(number));
  file.close();
  const names = readdirSync(folder).sort().toReversed();
  expect(names).toContain("curlew.log");
  expect(names.map(read).join("")).toBe([0, 1, 2, 3, 4, 5, 6, 7].map(line).join(""));
});
