// biome-ignore-all lint/suspicious/noTemplateCurlyInString: settings files name variables like this
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ImportSource } from "@curlew/gateway/core/tools/mcp/mcp-settings.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { loadSettings } from "../load.js";
import { findMcpServers } from "./find-servers.js";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
});

const write = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const machine = (platform: NodeJS.Platform = "linux"): Machine => ({
  env: { TOKEN: "t0ken" },
  platform,
  homeDirectory: join(root, "home"),
});
const own = (mcp: unknown) => {
  write("curlew.json", JSON.stringify({ mcp }));
  return loadSettings({ home: root, env: {} }).settings.mcp;
};
const take = (source: ImportSource, platform?: NodeJS.Platform) =>
  findMcpServers({ servers: {}, import: [source] }, machine(platform), join(root, "project"));

it("reads the servers of curlew.json, with environment variables filled in", () => {
  const settings = own({
    servers: {
      files: { command: "npx", args: ["-y", "server"], env: { KEY: "${env:TOKEN}" }, deny: ["write*"] },
      remote: { url: "https://example.com/mcp", headers: { authorization: "Bearer ${env:TOKEN}" }, transport: "sse" },
    },
  });
  expect(findMcpServers(settings, machine(), root)).toMatchObject({
    problems: [],
    servers: [
      { name: "files", command: "npx", env: { KEY: "t0ken" }, deny: ["write*"], timeoutMs: 60_000, disabled: false },
      { name: "remote", headers: { authorization: "Bearer t0ken" }, transport: "sse", origin: "curlew.json" },
    ],
  });
});

it("skips a server whose variable is not set, and names the variable", () => {
  const { servers, problems } = findMcpServers(
    own({ servers: { a: { command: "x", env: { KEY: "${env:MISSING}" } }, b: { command: "y" } } }),
    machine(),
    root,
  );
  expect(servers.map(({ name }) => name)).toEqual(["b"]);
  expect(problems).toEqual([expect.stringContaining("MISSING is not set")]);
});

it.each([
  [{ servers: { a: {} } }, /mcp\.servers\.a must be an object with either command or url/],
  [{ servers: { a: { command: "x", url: "https://e.example" } } }, /either command or url/],
  [{ servers: { a: { command: "x", env: { SECRET: 17 } } } }, /mcp\.servers\.a\.env\.SECRET/],
  [{ servers: { a: { url: "file:///etc/passwd" } } }, /http or https/],
  [{ import: ["emacs"] }, /one of opencode, cursor/],
  [{ server: {} }, /:1:\d+: mcp\.server is not one of servers, import\. Did you mean servers\?/],
])("refuses %j, and shows no value of it", (mcp, expected) => {
  expect(() => own(mcp)).toThrow(expected);
  expect(() => own({ ...mcp, other: "s3cret" })).not.toThrow(/s3cret/);
});

it("imports the servers of OpenCode's files, which may have comments", () => {
  write(
    "project/opencode.json",
    `{ // mine
      "mcp": {
        "local": { "type": "local", "command": ["bun", "x", "it"], "environment": { "K": "{env:TOKEN}" } },
        "off": { "type": "remote", "url": "https://example.com", "enabled": false },
      },
      "mcpServers": { "old": { "command": "npx", "args": ["-y", "thing"] } },
    }`,
  );
  write("home/.config/opencode/opencode.jsonc", '{"mcp":{"local":{"command":["other"]},"global":{"command":["g"]}}}');
  expect(take("opencode")).toMatchObject({
    problems: [],
    servers: [
      { name: "old", command: "npx", args: ["-y", "thing"] },
      { name: "local", command: "bun", args: ["x", "it"], env: { K: "t0ken" } },
      { name: "off", url: "https://example.com", disabled: true },
      { name: "global", command: "g" },
    ],
  });
});

it.each<[ImportSource, string, NodeJS.Platform]>([
  ["cursor", "project/.cursor/mcp.json", "linux"],
  ["cursor", "home/.cursor/mcp.json", "linux"],
  ["claude-code", "project/.mcp.json", "linux"],
  ["claude-desktop", "home/.config/Claude/claude_desktop_config.json", "linux"],
  ["claude-desktop", "home/Library/Application Support/Claude/claude_desktop_config.json", "darwin"],
  ["claude-desktop", "home/AppData/Roaming/Claude/claude_desktop_config.json", "win32"],
])("imports the servers of %s from %s", (source, path, platform) => {
  const entry = { type: "http", url: "https://example.com/${env:TOKEN}", headers: { a: "${HOME:-none}" } };
  write(path, JSON.stringify({ mcpServers: { it: entry } }));
  const headers = { a: source === "claude-code" ? "none" : "${HOME:-none}" };
  expect(take(source, platform)).toMatchObject({
    problems: [],
    servers: [{ name: "it", url: "https://example.com/t0ken", transport: "http", headers }],
  });
});

it("reports what could not be imported, and imports the rest", () => {
  write("project/.mcp.json", '{"mcpServers":{"bad":{"command":7},"good":{"command":"x"}}}');
  expect(take("claude-code")).toMatchObject({
    problems: [expect.stringContaining("bad")],
    servers: [{ name: "good" }],
  });
  write("project/.mcp.json", "{");
  expect(take("claude-code").problems).toEqual([expect.stringContaining("is not valid JSON")]);
  expect(take("claude-desktop").problems).toEqual([expect.stringContaining("There are no MCP servers")]);
});

it("prefers the first server of a name: curlew.json, then the imports in order", () => {
  write("project/.mcp.json", '{"mcpServers":{"a":{"command":"second"},"b":{"command":"second"}}}');
  write("project/.cursor/mcp.json", '{"mcpServers":{"b":{"command":"third"},"c":{"command":"third"}}}');
  const mcp = own({ servers: { a: { command: "first" } }, import: ["claude-code", "cursor"] });
  const { servers } = findMcpServers(mcp, machine(), join(root, "project"));
  expect(servers.map(({ name, command }) => `${name} ${command}`)).toEqual(["a first", "b second", "c third"]);
});
