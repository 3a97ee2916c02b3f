import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWorkspace } from "./named-workspace.js";

let folder: string;
let root: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "named-workspace-")));
  root = join(folder, "root");
  await mkdir(join(root, "project", "deep"), { recursive: true });
  await mkdir(join(folder, "root-beside"));
  await symlink(join(folder, "root-beside"), join(root, "out"));
  await symlink(join(root, "project"), join(folder, "in"));
  await writeFile(join(root, "file"), "");
});
afterAll(() => rm(folder, { recursive: true }));

describe("a workspace that a request names", () => {
  it.each(["root", "root/project", "root/project/deep", "root/project/../project", "in"])("may be %s", async (path) => {
    expect(await checkWorkspace(`${folder}/${path}`, ["/nowhere", root])).toBe(await realpath(join(folder, path)));
  });

  it("may be below a root that is a link", async () => {
    expect(await checkWorkspace(join(root, "project"), [join(folder, "in")])).toBe(join(root, "project"));
  });

  it.each([
    [".", "permission_denied"],
    ["root-beside", "permission_denied"],
    ["root/out", "permission_denied"],
    ["root/../root-beside", "permission_denied"],
    ["root/missing", "permission_denied"],
    ["root/file", "invalid_request"],
  ])("may not be %s", async (path, code) => {
    await expect(checkWorkspace(`${folder}/${path}`, [root])).rejects.toMatchObject({ code });
  });

  it("must be an absolute path, and something must be allowed at all", async () => {
    await expect(checkWorkspace("root/project", [root])).rejects.toMatchObject({ code: "invalid_request" });
    await expect(checkWorkspace(root, [])).rejects.toMatchObject({ code: "permission_denied" });
  });
});
