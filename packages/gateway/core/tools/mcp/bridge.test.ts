import type { RequestListener, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../../testing/network/serve-http.js";
import { isRunning } from "../../../../../testing/programs/is-running.js";
import { type Clock, systemClock } from "../../../system/clock.js";
import { joinText } from "../../../turn/blocks.js";
import { toolName } from "./bridge.js";
import { createMcpBridge, type McpBridge } from "./index.js";
import { remoteMcpServer, serveMcp } from "./remote-server.cases.js";
import { hideSecrets, type McpServerConfig, serverEnvironment } from "./server-config.js";

const program = fileURLToPath(new URL("../../../../../testing/programs/mcp-server.js", import.meta.url));
const never = new AbortController().signal;
let bridge: McpBridge;

afterEach(() => bridge.close());

const config = (name: string, fields: Partial<McpServerConfig>): McpServerConfig => ({
  name,
  args: [],
  env: {},
  headers: {},
  timeoutMs: 60_000,
  deny: [],
  ...fields,
});
const local = (name: string, ...args: string[]) =>
  config(name, { command: process.execPath, args: [program, ...args] });
const open = (
  servers: readonly McpServerConfig[],
  clock: Clock = systemClock,
  env: NodeJS.ProcessEnv = process.env,
) => {
  const log = { debug: vi.fn(), warn: vi.fn() };
  bridge = createMcpBridge({ servers, clock, version: "1", env, log });
  return log;
};
const run = async (name: string, input = "{}") => (await bridge.offer({ tools: [] })).run({ name, input }, never);

const listen = async (handle: RequestListener) => `${await serveHttp(handle)}/mcp`;

const remoteServer = () => remoteMcpServer("where");
const serveRemote = (makeServer = remoteServer) => serveMcp(makeServer);

describe("a server at an address", () => {
  it("is reached over streamable HTTP, with its headers", async () => {
    const handle = serveRemote();
    const keys = new Set<unknown>();
    const url = await listen((request, response) => {
      keys.add(request.headers["x-key"]);
      handle(request, response);
    });
    open([config("far", { url, headers: { "x-key": "k" } })]);
    expect(await run("mcp__far__where")).toEqual({ content: [{ type: "text", text: "over there" }], isError: false });
    expect(keys).toEqual(new Set(["k"]));
  });

  it("that has lost our session gets a new one", async () => {
    const handle = serveRemote();
    let hasForgotten = false;
    const url = await listen((request, response) => {
      if (!hasForgotten) handle(request, response);
      else response.writeHead(404).end();
    });
    open([config("far", { url, transport: "http" })]);
    const offer = await bridge.offer({ tools: [] });
    const call = { name: "mcp__far__where", input: "{}" };
    hasForgotten = true;
    expect(await offer.run(call, never)).toMatchObject({ isError: true });
    expect(bridge.counts.servers).toBe(0);
    hasForgotten = false;
    expect(await offer.run(call, never)).toMatchObject({ isError: false });
  });

  it.each(["sse", undefined] as const)(
    "is reached over SSE if it speaks nothing else (transport: %s)",
    async (transport) => {
      const url = await listen(sseServer());
      open([config("old", { url, transport })]);
      expect(joinText((await run("mcp__old__where")).content)).toBe("by SSE");
    },
  );

  it("whose answer never ends is cut off", async () => {
    const handle = serveRemote();
    let isFlooding = false;
    const url = await listen((request, response) => {
      if (!isFlooding) handle(request, response);
      else {
        response.writeHead(200, { "content-type": "application/json" });
        response.write(" ".repeat(17 * 1024 * 1024));
      }
    });
    open([config("far", { url })]);
    const offer = await bridge.offer({ tools: [] });
    isFlooding = true;
    const outcome = await offer.run({ name: "mcp__far__where", input: "{}" }, never);
    expect(joinText(outcome.content)).toMatch(/could not run where: .*longer than/);
  });

  it("that cannot be reached is reported, and its tools are not offered", async () => {
    const log = open([config("gone", { url: "http://127.0.0.1:1/mcp" })]);
    const { tools, warnings } = await bridge.offer({ tools: [] });
    expect(tools).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("MCP server gone are not offered")]);
    expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ server: "gone" }), "MCP server failed");
  });
});

it("hides a server's secrets", () => {
  const server = config("a", {
    headers: { authorization: "Bearer t0ken-t0ken" },
    env: { API_KEY: "s3cret-s3cret", LANG: "en_US.UTF-8" },
  });
  const shown = hideSecrets("t0ken-t0ken and s3cret-s3cret in en_US.UTF-8", server);
  expect(shown).toBe("[hidden] and [hidden] in en_US.UTF-8");
});

describe("a program", () => {
  it("that never answers delays only the first request, by ten seconds", async () => {
    const clock = new ManualClock();
    open([local("silent", "silent")], clock);
    const first = bridge.offer({ tools: [] });
    await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
    clock.advance(10_000);
    expect((await first).warnings).toEqual([expect.stringContaining("has not answered within 10 s")]);
    expect((await bridge.offer({ tools: [] })).tools).toEqual([]);
  });

  it("that cannot be started is an error, and so are arguments that are not an object", async () => {
    open([config("none", { command: "/nowhere/at/all" }), local("test")]);
    const offer = await bridge.offer({ tools: [] });
    expect(offer.warnings).toEqual([expect.stringMatching(/none are not offered: .*ENOENT/)]);
    const outcome = await offer.run({ name: "mcp__test__echo", input: "[1]" }, never);
    expect(outcome).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("one JSON object") }] });
    expect(await offer.run({ name: "mcp__test__gone", input: "{}" }, never)).toMatchObject({ isError: true });
  });

  it("is not started by a look at its state", async () => {
    open([local("test"), config("none", { command: "/nowhere/at/all" })]);
    const unknown = { isConnected: false, tools: 0, problem: undefined };
    expect(bridge.servers).toEqual([
      { name: "test", ...unknown },
      { name: "none", ...unknown },
    ]);
    await bridge.offer({ tools: [] });
    expect(bridge.servers).toEqual([
      { name: "test", isConnected: true, tools: 12, problem: undefined },
      { name: "none", isConnected: false, tools: 0, problem: expect.stringContaining("ENOENT") },
    ]);
  });

  it("is started once for simultaneous requests, which all wait for the list", async () => {
    open([local("test")]);
    const offers = await Promise.all([
      bridge.offer({ tools: [] }),
      bridge.offer({ tools: [] }),
      bridge.offer({ tools: [{ name: "mcp__test__echo", description: "", inputSchema: {} }] }),
    ]);
    expect(offers.map(({ tools }) => tools.length)).toEqual([12, 12, 11]);
    const pids = await Promise.all(offers.map((offer) => offer.run({ name: "mcp__test__pid", input: "{}" }, never)));
    expect(new Set(pids.map(({ content }) => joinText(content))).size).toBe(1);
  });

  it("is asked again for a changed list, even after a long time", async () => {
    const clock = new ManualClock();
    open([local("test")], clock);
    await bridge.offer({ tools: [] });
    clock.advance(60_000);
    await run("mcp__test__grow");
    const { tools, warnings } = await bridge.offer({ tools: [] });
    expect(tools.map(({ name }) => name)).toContain("mcp__test__grown");
    expect(warnings).toEqual([]);
  });

  it.skipIf(process.platform === "win32").each([
    ["that will not end", process.execPath, [program, "stubborn"]],
    ["behind a launcher", "sh", ["-c", `"${process.execPath}" "${program}" stubborn; true`]],
  ])("%s is killed", async (_, command, args) => {
    open([config("test", { command, args })]);
    const pid = Number(joinText((await run("mcp__test__pid")).content));
    expect(process.kill(pid, 0)).toBe(true);
    await bridge.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("keeps its tools on offer while it is down, without delaying requests", async () => {
    open([local("test")], new ManualClock()); // so the pause before its next start never ends
    const before = (await bridge.offer({ tools: [] })).tools;
    await run("mcp__test__crash");
    await expect.poll(() => bridge.counts.servers).toBe(0);
    expect((await bridge.offer({ tools: [] })).tools).toEqual(before);
  });

  it("passes images, resources and errors on", async () => {
    open([local("test")]);
    expect(await run("mcp__test__picture")).toMatchObject({ content: [{ type: "image", mimeType: "image/png" }] });
    expect(joinText((await run("mcp__test__document")).content)).toMatch(/^written down/);
    expect(await run("mcp__test__refuse")).toMatchObject({ isError: true });
    const thrown = await run("mcp__test__throw");
    expect(joinText(thrown.content)).toContain("it broke");
    expect(thrown.isError).toBe(true);
  });

  it("has a bounded part of its stderr logged", async () => {
    const log = open([local("test")]);
    await run("mcp__test__flood", '{"characters":10}');
    await expect.poll(() => log.debug).toHaveBeenCalled();
    const logged = log.debug.mock.calls.reduce((sum, [{ text }]) => sum + text.length, 0);
    expect(logged).toBeLessThanOrEqual(64 * 1024);
  });
});

/** The older transport: messages come on a standing stream and are sent by POST. */
function sseServer(): RequestListener {
  let stream: ServerResponse | undefined;
  const answers: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "old", version: "1" },
    },
    "tools/list": { tools: [{ name: "where", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "by SSE" }] },
  };
  return async (request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    if (request.url !== "/messages") {
      response.writeHead(405).end();
      return;
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body);
    response.writeHead(202).end();
    const result = answers[method];
    if (result) stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  };
}

describe("a tool that cannot be offered", () => {
  const deep = (objects: number): { type: "object"; properties: object } => {
    let schema = { type: "object" as const, properties: {} };
    for (let level = 1; level < objects; level++) schema = { type: "object", properties: { a: schema } };
    return schema;
  };

  it("is left out with a warning that names it; the others stay", async () => {
    const inputSchema = { type: "object" as const };
    const tools = [
      { name: "good", inputSchema },
      { name: "deep", inputSchema: deep(60) },
      { name: "bottomless", inputSchema: deep(200) },
      { name: "long", description: "x".repeat(40_000), inputSchema },
      { name: "shallow", inputSchema: deep(20) },
    ];
    const handle = serveRemote(() => {
      const server = remoteServer();
      server.setRequestHandler("tools/list", () => ({ tools }));
      return server;
    });
    const url = await listen(handle);
    const log = open([config("far", { url })]);
    const { tools: offered, warnings } = await bridge.offer({ tools: [] });
    expect(offered.map(({ name }) => name)).toEqual(["mcp__far__good", "mcp__far__shallow"]);
    expect(warnings).toEqual([
      "The tool deep of the MCP server far is not offered: its schema goes deeper than 46 levels.",
      "The tool bottomless of the MCP server far is not offered: its schema goes deeper than 46 levels.",
      "The tool long of the MCP server far is not offered: its definition is longer than 32000 characters.",
    ]);
    await bridge.offer({ tools: [] });
    expect(log.warn.mock.calls).toEqual(
      ["deep", "bottomless", "long"].map((tool) => [
        expect.objectContaining({ server: "far", tool }),
        "MCP tool is not offered",
      ]),
    );
  });
});

describe("the environment", () => {
  const secret = "http://me:s3cret@proxy.example:3128";
  const ours = {
    PATH: "/bin",
    CURSOR_API_KEY: "crsr_1",
    HTTPS_PROXY: secret,
    all_proxy: "me:s3cret@proxy.example:1080",
    http_proxy: "http://proxy.example:3128",
    NO_PROXY: "localhost",
  };

  it("a program gets harmless variables, such as proxies without a password", () => {
    expect(serverEnvironment(ours, {})).toEqual({
      PATH: "/bin",
      http_proxy: "http://proxy.example:3128",
      NO_PROXY: "localhost",
    });
  });

  it("a program gets a proxy with a password if its own entry names it", () => {
    expect(serverEnvironment(ours, { HTTPS_PROXY: secret })).toMatchObject({ HTTPS_PROXY: secret });
  });

  it("a withheld proxy is reported without its password", () => {
    const servers = [
      config("plain", { command: "one" }),
      config("named", { command: "two", env: { HTTPS_PROXY: secret, all_proxy: secret } }),
      config("remote", { url: "https://mcp.example" }),
    ];
    const log = open(servers, systemClock, ours);
    expect(log.warn.mock.calls).toEqual([
      [
        expect.objectContaining({ server: "plain", variables: ["HTTPS_PROXY", "all_proxy"] }),
        "MCP server does not get a proxy that has a password in it",
      ],
    ]);
    expect(JSON.stringify(log.warn.mock.calls)).not.toContain("s3cret");
  });
});

describe("the name of a tool", () => {
  const free = () => false;

  it("is made of the server and the tool", () => {
    expect(toolName("hybrid-memory", "memory_stats", free)).toBe("mcp__hybrid-memory__memory_stats");
  });

  it("has only characters that every dialect accepts", () => {
    expect(toolName("my server", "a.b/ü", free)).toBe("mcp__my_server__a_b__");
  });

  it("has at most 64 characters, and long names with the same beginning differ", () => {
    const long = "x".repeat(80);
    const names = [
      toolName("s", `${long}1`, free),
      toolName("s", `${long}2`, free),
      toolName("s".repeat(64), "t", free),
    ];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[\w-]{64}$/);
    expect(toolName("s", `${long}1`, free)).toBe(names[0]);
  });

  it("is unique if two tools would get the same", () => {
    const taken = new Set([toolName("a", "b c", free)]);
    const other = toolName("a", "b_c", (name) => taken.has(name));
    expect(other).toMatch(/^mcp__a__b_c_[0-9a-f]{8}$/);
    taken.add(other);
    expect(taken).not.toContain(toolName("a", "b_c", (name) => taken.has(name)));
  });
});
