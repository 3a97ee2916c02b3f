import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { readPermissions } from "./permissions.js";

function permissionsOf(permissions: object) {
  const path = temporaryFolder();
  mkdirSync(join(path, ".cursor"));
  writeFileSync(join(path, ".cursor", "cli.json"), JSON.stringify({ permissions }));
  return readPermissions({ path, root: path, stateFolder: path });
}

it.each([
  ["Mcp(gw:echo)", "Mcp", "gw:echo", true],
  ["Mcp(gw:*)", "Mcp", "gw:echo", true],
  ["Mcp(gw)", "Mcp", "gw:echo", true],
  ["Mcp(gw:echo)", "Mcp", "gw:other", false],
  ["Mcp(g.:echo)", "Mcp", "gw:echo", false],
  ["Shell(**)", "Shell", "rm -rf /", true],
  ["Shell(ls)", "Shell", "ls -l", true],
  ["Shell(ls)", "Shell", "rm", false],
  ["Read(src/**)", "Read", "src/a/b.ts", true],
  ["Read(src/**)", "Write", "src/a/b.ts", false],
])("%s covers %s of %s: %s", (rule, kind, what, covers) => {
  expect(permissionsOf({ allow: [rule] }).allows(kind, what)).toBe(covers);
  expect(permissionsOf({ deny: [rule] }).denies(kind, what)).toBe(covers);
});

it("allow and deny nothing without a file", () => {
  const permissions = readPermissions({ path: "/nowhere", root: "/nowhere", stateFolder: "/nowhere" });
  expect(permissions.allows("Mcp", "gw:echo")).toBe(false);
  expect(permissions.denies("Shell", "ls")).toBe(false);
});
