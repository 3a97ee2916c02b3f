import { expect, it } from "vitest";
import { approvalFile, approvalKey } from "./approvals.js";

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

it("finds the file by the path of the workspace, with a dash for all that is no letter or digit", () => {
  expect(approvalFile("/data", "/tmp/a_b--c.d/")).toBe("/data/projects/tmp-a-b-c-d/mcp-approvals.json");
});
