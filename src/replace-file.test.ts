import fs, { readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { replaceFile } from "./replace-file.js";

/** What the file system is asked to do, in order. */
function watchDisk(): string[] {
  const asked: string[] = [];
  const { fsyncSync, renameSync } = fs;
  vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
    asked.push("flush");
    fsyncSync(file);
  });
  vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    asked.push("rename");
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return asked;
}

it("is on the disk before it takes the place of the file before", () => {
  const folder = temporaryFolder();
  const asked = watchDisk();
  replaceFile(join(folder, "file"), "text");
  expect(asked).toEqual(["flush", "rename"]);
  expect([readdirSync(folder), readFileSync(join(folder, "file"), "utf8")]).toEqual([["file"], "text"]);
});
