import { expect, it, vi } from "vitest";
import { systemClock } from "../../clock.js";
import { createMcpBridge } from "./index.js";
import { type McpServerConfig, serverEnvironment } from "./server-config.js";

const secret = "http://me:s3cret@proxy.example:3128";
const ours = {
  PATH: "/bin",
  CURSOR_API_KEY: "crsr_1",
  HTTPS_PROXY: secret,
  all_proxy: "me:s3cret@proxy.example:1080",
  http_proxy: "http://proxy.example:3128",
  NO_PROXY: "localhost",
};

it("a program gets what is harmless: of proxies those without a password", () => {
  expect(serverEnvironment(ours, {})).toEqual({
    PATH: "/bin",
    http_proxy: "http://proxy.example:3128",
    NO_PROXY: "localhost",
  });
});

it("a program gets a proxy with a password where its own entry names it", () => {
  expect(serverEnvironment(ours, { HTTPS_PROXY: secret })).toMatchObject({ HTTPS_PROXY: secret });
});

it("a proxy that is kept from a program is reported, without its password", () => {
  const log = { debug: vi.fn(), warn: vi.fn() };
  const config = (name: string, fields: Partial<McpServerConfig>): McpServerConfig => ({
    name,
    args: [],
    env: {},
    headers: {},
    timeoutMs: 5_000,
    deny: [],
    ...fields,
  });
  const servers = [
    config("plain", { command: "one" }),
    config("named", { command: "two", env: { HTTPS_PROXY: secret, all_proxy: secret } }),
    config("remote", { url: "https://mcp.example" }),
  ];
  createMcpBridge({ servers, clock: systemClock, version: "1", env: ours, log });
  expect(log.warn.mock.calls).toEqual([
    [
      expect.objectContaining({ server: "plain", variables: ["HTTPS_PROXY", "all_proxy"] }),
      "MCP server does not get a proxy that has a password in it",
    ],
  ]);
  expect(JSON.stringify(log.warn.mock.calls)).not.toContain("s3cret");
});
