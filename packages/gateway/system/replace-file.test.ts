import fs, { readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { replaceFile } from "./replace-file.js";

/** The operations on the file system, in order. */
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

it("flushes the new file before it replaces the old one", () => {
  const folder = temporaryFolder();
  const asked = watchDisk();
  replaceFile(join(folder, "file"), "text");
  expect(asked).toEqual(["flush", "rename"]);
  expect([readdirSync(folder), readFileSync(join(folder, "file"), "utf8")]).toEqual([["file"], "text"]);
});
