import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { findNode } from "./own-login.js";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** A program that claims to be this version of Node. */
function fakeNode(path: string, version: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
  chmodSync(file, 0o755);
  return file;
}

const old = { path: "/old/node", version: "20.20.2" };
const find = ({ node, own = old, env = { HOME: folder } }: { node?: string; own?: typeof old; env?: object } = {}) =>
  findNode(node, { env: { ...env }, platform: "linux" }, own);

describe("a Node for the SDK", () => {
  it("is our own if that is new enough", async () => {
    for (const version of ["22.13.0", "24.1.0"])
      expect(await find({ own: { path: "/own", version } })).toEqual({ node: "/own", nodeVersion: version });
    for (const version of ["22.12.9", "20.20.2", "23.4.0"])
      await expect(find({ own: { path: "/own", version } })).rejects.toMatchObject({ code: "server_error" });
  });

  it("is the first on PATH that is new enough", async () => {
    fakeNode("a/node", "v18.0.0");
    const good = fakeNode("b/node", "v22.13.0");
    fakeNode("c/node", "v24.0.0");
    const PATH = ["a", "nowhere", "b", "c"].map((name) => join(folder, name)).join(delimiter);
    expect(await find({ env: { HOME: folder, PATH } })).toEqual({ node: good, nodeVersion: "22.13.0" });
  });

  it.each([
    [".nvm/versions/node/%/bin/node"],
    [".local/share/fnm/node-versions/%/installation/bin/node"],
    [".volta/tools/image/node/%/bin/node"],
    [".asdf/installs/nodejs/%/bin/node"],
    [".local/share/mise/installs/node/%/bin/node"],
  ])("is the newest that a version manager keeps: %s", async (pattern) => {
    for (const version of ["v9.0.0", "v22.13.1", "v20.1.0"]) fakeNode(pattern.replace("%", version), version);
    const newest = fakeNode(pattern.replace("%", "v24.10.0"), "v24.10.0");
    expect(await find()).toEqual({ node: newest, nodeVersion: "24.10.0" });
  });

  it("is the named one, or an error that says what is wrong with it", async () => {
    const good = fakeNode("good", "v23.5.0");
    expect(await find({ node: good })).toEqual({ node: good, nodeVersion: "23.5.0" });
    const bad = fakeNode("bad", "v20.1.0");
    await expect(find({ node: bad })).rejects.toThrow(`${bad} is Node 20.1.0; Cursor's SDK needs 22.13`);
    await expect(find({ node: "/nowhere/node" })).rejects.toThrow("/nowhere/node cannot be run as Node");
  });

  it("is required by an error if none is found", async () => {
    await expect(find()).rejects.toThrow(/runs on 20\.20\.2, and no other was found.*on the PATH/);
  });
});
