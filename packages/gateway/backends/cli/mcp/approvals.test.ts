import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../../testing/temporary-folder.js";
import { Approvals, approvalFile, approvalKey, projectRoot } from "./approvals.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  file = join(folder, "projects", "tmp-x", "mcp-approvals.json");
});

const written = () => JSON.parse(readFileSync(file, "utf8"));

it("keeps the approvals of others", async () => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '["fetch-1"]');
  const approvals = new Approvals(folder, "/tmp/x");
  await approvals.add(["gw-1", "gw-2"]);
  expect(written()).toEqual(["fetch-1", "gw-1", "gw-2"]);
  await approvals.remove(["gw-1", "gw-2"]);
  expect(written()).toEqual(["fetch-1"]);
});

it("loses no key when many sessions come and go at once", async () => {
  const approvals = new Approvals(folder, "/tmp/x");
  const keys = Array.from({ length: 30 }, (_, at) => `gw-${at}`);
  await Promise.all(keys.map((key) => approvals.add([key])));
  expect(written()).toEqual(keys);
  await Promise.all(keys.slice(1).map((key) => approvals.remove([key])));
  expect(written()).toEqual(["gw-0"]);
  expect(readdirSync(dirname(file))).toEqual(["mcp-approvals.json"]);
});

it("starts over when the file is not a list", async () => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "{broken");
  await new Approvals(folder, "/tmp/x").add(["gw-1"]);
  expect(written()).toEqual(["gw-1"]);
});

it.each([
  ["fetch", "/tmp/work", { command: "uvx", args: ["mcp-server-fetch"] }, "fetch-b3a6127d3cbd8e52"],
  ["mcp-gateway", "/Users/alice/src/demo-app", { url: "https://mcp.example.com/mcp" }, "mcp-gateway-790a71ad022ef2d7"],
  [
    "bb-bridge",
    "/workspace/project",
    {
      command: "/usr/local/bin/node",
      args: ["/app/bridge.js", "--mcp-stdio"],
      env: { BB_TOKEN: "secret", BB_THREAD: "thread-1" },
    },
    "bb-bridge-d4709a3db84ddb48",
  ],
])("gives %s the key that the CLI gives it", (name, root, config, key) => {
  expect(approvalKey(name, root, config)).toBe(key);
});

it("finds the file by the path of the workspace, with a dash for everything but letters and digits", () => {
  expect(approvalFile("/data", "/tmp/a_b--c.d/")).toBe("/data/projects/tmp-a-b-c-d/mcp-approvals.json");
});

it("applies to the real path of the workspace, or to the repository that contains it", async () => {
  const [repository, source, link] = [join(folder, "repo"), join(folder, "repo", "src"), join(folder, "link")];
  mkdirSync(source, { recursive: true });
  symlinkSync(source, link);
  expect(await projectRoot(link)).toBe(source);
  mkdirSync(join(repository, ".git"));
  expect(await projectRoot(source)).toBe(repository);
});
