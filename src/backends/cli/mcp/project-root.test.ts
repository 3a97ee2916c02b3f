import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { projectRoot } from "./approvals.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "curlew-root-")));
  mkdirSync(join(folder, "repo", "src"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

it("is the workspace itself where there is no repository around it, by its real path", async () => {
  symlinkSync(join(folder, "repo", "src"), join(folder, "link"));
  expect(await projectRoot(join(folder, "link"))).toBe(join(folder, "repo", "src"));
});

it("is the repository that the workspace lies in", async () => {
  mkdirSync(join(folder, "repo", ".git"));
  expect(await projectRoot(join(folder, "repo", "src"))).toBe(join(folder, "repo"));
});
