import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { cliEnvironment } from "./cli.js";
import { checkWorkspace, Workspaces } from "./workspace.js";

/** A pid above the system's range. */
const NOBODY = 2 ** 30;
let parent: string;
beforeEach(() => {
  parent = temporaryFolder();
});

describe("a workspace", () => {
  it("is private to its user, and holds only permissions: the client's tools, but no built-in ones", async () => {
    const { path, dataFolder } = await new Workspaces(parent).open();
    expect(await readdir(path, { recursive: true })).toEqual([".cursor", join(".cursor", "cli.json")]);
    const { permissions } = JSON.parse(await readFile(join(path, ".cursor", "cli.json"), "utf8"));
    expect(permissions.allow).toEqual(["Mcp(gw:*)"]);
    expect(permissions.deny).toEqual(["Shell(**)", "Read(**)", "Write(**)", "WebFetch(**)"]);
    expect(await readdir(dataFolder)).toEqual([]);
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
  });

  it("is new for each run, and is gone when it is removed", async () => {
    const workspaces = new Workspaces(parent);
    const [one, other] = await Promise.all([workspaces.open(), workspaces.open()]);
    expect(one.path).not.toBe(other.path);
    await writeFile(join(one.dataFolder, "store.db"), "x");
    await one.remove();
    expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
    await other.remove();
    expect(await readdir(parent)).toEqual([]);
  });

  it("of the user's own is left as it is", async () => {
    const mine = join(parent, "mine");
    await mkdir(mine);
    const { path, dataFolder, remove } = await new Workspaces(parent).open(mine);
    expect(path).toBe(mine);
    expect(dataFolder.startsWith(mine)).toBe(false);
    await remove();
    expect(await readdir(parent)).toEqual(["mine"]);
    expect(await readdir(mine)).toEqual([]);
  });

  it("is swept only after the process that made it has died", async () => {
    await mkdir(join(parent, `curlew-cli-${NOBODY}-x`, "data"), { recursive: true });
    const { path } = await new Workspaces(parent).open();
    await mkdir(join(parent, `other-curlew-cli-${NOBODY}-x`));
    await new Workspaces(parent).sweep();
    expect(existsSync(path)).toBe(true);
    expect((await readdir(parent)).length).toBe(2);
  });

  it("is removed at once when our own process ends", async () => {
    const workspaces = new Workspaces(parent);
    await workspaces.open();
    workspaces.removeAllNow();
    expect(await readdir(parent)).toEqual([]);
  });
});

describe("the environment of the CLI", () => {
  it("has only what the CLI needs", () => {
    const ours = {
      PATH: "/bin",
      HOME: "/home/me",
      https_proxy: "http://p:1",
      SECRET: "s",
      CURSOR_AGENT: "1",
      LC_ALL: "",
    };
    expect(cliEnvironment(ours, {}, "/data")).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      https_proxy: "http://p:1",
      NO_COLOR: "1",
      NO_OPEN_BROWSER: "1",
      CURSOR_DATA_DIR: "/data",
    });
  });

  it("has the key that Curlew was given, or else the token, and never an empty one", () => {
    expect(cliEnvironment({ CURSOR_API_KEY: "old" }, { apiKey: "crsr_1", authToken: "t" }, "/d")).toMatchObject({
      CURSOR_API_KEY: "crsr_1",
    });
    expect(cliEnvironment({}, { authToken: "t" }, "/d")).toMatchObject({ CURSOR_AUTH_TOKEN: "t" });
    expect(cliEnvironment({}, { apiKey: "" }, "/d")).not.toHaveProperty("CURSOR_API_KEY");
  });
});

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
  it.each(["root", "root/project", "root/project/deep", "root/project/../project", "in"])("can be %s", async (path) => {
    expect(await checkWorkspace(`${folder}/${path}`, ["/nowhere", root])).toBe(await realpath(join(folder, path)));
  });

  it("can be below a root that is a link", async () => {
    expect(await checkWorkspace(join(root, "project"), [join(folder, "in")])).toBe(join(root, "project"));
  });

  it.each([
    [".", "permission_denied"],
    ["root-beside", "permission_denied"],
    ["root/out", "permission_denied"],
    ["root/../root-beside", "permission_denied"],
    ["root/missing", "permission_denied"],
    ["root/file", "invalid_request"],
  ])("cannot be %s", async (path, code) => {
    await expect(checkWorkspace(`${folder}/${path}`, [root])).rejects.toMatchObject({ code });
  });

  it("must be an absolute path below an allowed folder", async () => {
    await expect(checkWorkspace("root/project", [root])).rejects.toMatchObject({ code: "invalid_request" });
    await expect(checkWorkspace(root, [])).rejects.toMatchObject({ code: "permission_denied" });
  });
});
