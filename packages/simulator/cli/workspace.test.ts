import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { approvalKey, approve, isApproved, openWorkspace, slugOf } from "./workspace.js";

const bridge = { command: "/usr/local/bin/node", args: ["/app/bridge.js", "--mcp-stdio"] };

it.each([
  ["fetch-b3a6127d3cbd8e52", "/tmp/work", { command: "uvx", args: ["mcp-server-fetch"] }],
  ["mcp-gateway-790a71ad022ef2d7", "/Users/alice/src/demo-app", { url: "https://mcp.example.com/mcp" }],
  [
    "bb-bridge-d4709a3db84ddb48",
    "/workspace/project",
    { ...bridge, env: { BB_TOKEN: "secret", BB_THREAD: "thread-1" } },
  ],
])("makes the approval key %s", (key, root, config) => {
  expect(approvalKey(key.slice(0, -17), root, config)).toBe(key);
});

it.each([
  ["/tmp/work", "tmp-work"],
  ["/Users/alice/src/demo-app.v2/", "Users-alice-src-demo-app-v2"],
])("names the state of %s %s", (root, slug) => {
  expect(slugOf(root)).toBe(slug);
});

it("keeps approvals for the git top level of a workspace", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "repo", ".git"), { recursive: true });
  mkdirSync(join(folder, "repo", "deep", "er"), { recursive: true });
  const world = { cwd: folder, env: { CURSOR_DATA_DIR: join(folder, "data") } };

  const deep = openWorkspace("repo/deep/er", world);
  expect(deep).toMatchObject({ path: join(folder, "repo/deep/er"), root: join(folder, "repo") });
  approve(deep, "fetch", { command: "uvx" });
  expect(isApproved(openWorkspace("repo", world), "fetch", { command: "uvx" })).toBe(true);
  expect(isApproved(deep, "fetch", { command: "uvx", args: [] })).toBe(false);
});
