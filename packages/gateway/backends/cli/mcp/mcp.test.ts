import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ClientCall } from "../../backend.js";
import { createToolServer, type McpAddress, McpListener } from "./mcp-listener.js";
import { ParkedCalls } from "./parked-calls.js";

const STILL_RUNNING_MS = 50_000;
const tool = (name: string): ToolDefinition => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { properties: { city: { type: "string" } }, $comment: "kept" },
});
const tools = [tool("weather"), tool("time")];

let clock: ManualClock;
let listener: McpListener;
let calls: ParkedCalls;
let address: McpAddress;
let client: Client;
let announced: ClientCall[];

beforeEach(async () => {
  clock = new ManualClock();
  listener = new McpListener();
  announced = [];
  calls = new ParkedCalls({ tools, clock, stillRunningMs: STILL_RUNNING_MS });
  calls.begin({ callable: tools, newCallId: () => `call_${announced.length}`, onCall: (call) => announced.push(call) });
  address = await listener.serve(() => createToolServer(tools, calls));
  client = await connect(address);
});
afterEach(async () => {
  await client.close();
  await listener.close();
});

async function connect({ url, authorization }: McpAddress): Promise<Client> {
  const made = new Client({ name: "Cursor", version: "1.0.0" });
  const headers = { authorization };
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return made;
}

const call = (name: string, input: Record<string, unknown>, options = {}) =>
  client.callTool({ name, arguments: input }, options);
const untilAnnounced = (count: number) => expect.poll(() => announced).toHaveLength(count);
const text = (callId: string, words: string, isError = false) =>
  calls.answer({ callId, content: [{ type: "text", text: words }], isError });

describe("the client's tools as an MCP server", () => {
  it("are listed with their schemas, and with a wait tool", async () => {
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(["weather", "time", "curlew_wait"]);
    expect(listed[0]).toMatchObject({
      description: "The tool weather.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, $comment: "kept" },
    });
  });

  it("rename the wait tool if the client has one of that name", () => {
    const named = [tool("curlew_wait"), tool("curlew_wait_")];
    expect(new ParkedCalls({ tools: named, clock, stillRunningMs: 1 }).waitTool).toBe("curlew_wait__");
  });

  it("wait for the client's results, which may come in any order", async () => {
    const oslo = call("weather", { city: "Oslo" });
    await untilAnnounced(1);
    const rome = call("weather", { city: "Rome" });
    await untilAnnounced(2);
    expect(calls.open).toEqual([
      { id: "call_0", upstreamId: expect.any(String), name: "weather", input: '{"city":"Oslo"}' },
      { id: "call_1", upstreamId: expect.any(String), name: "weather", input: '{"city":"Rome"}' },
    ]);
    expect(text("call_1", "warm")).toBe(true);
    expect(text("call_1", "again")).toBe(false);
    expect(text("unknown", "x")).toBe(false);
    expect((await rome).content).toEqual([{ type: "text", text: "warm" }]);
    expect(calls.open.map(({ id }) => id)).toEqual(["call_0"]);
    text("call_0", "no such place", true);
    expect(await oslo).toMatchObject({ isError: true, content: [{ type: "text", text: "no such place" }] });
  });

  it("give images back as images", async () => {
    const shown = call("weather", {});
    await untilAnnounced(1);
    calls.answer({
      callId: "call_0",
      content: [{ type: "image", mimeType: "image/png", data: Buffer.from([1, 2, 3]) }],
      isError: false,
    });
    expect((await shown).content).toEqual([{ type: "image", mimeType: "image/png", data: "AQID" }]);
  });

  it("refuse calls of tools that are not callable now, and name those that are", async () => {
    calls.begin({ callable: [tool("time")], newCallId: () => "x", onCall: (made) => announced.push(made) });
    expect(await call("weather", {})).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("Tools that can: time.") }],
    });
    expect(announced).toEqual([]);
  });

  it("end every call with the turn, and take none until the next", async () => {
    const left = call("weather", {});
    await untilAnnounced(1);
    calls.end();
    expect(await left).toMatchObject({ isError: true });
    expect(calls.open).toEqual([]);
    expect(await call("weather", {})).toMatchObject({ isError: true });
    expect(announced).toHaveLength(1);
  });
});

describe("a call that outlasts the CLI's timeout", () => {
  const begin = async () => {
    const first = call("weather", { city: "Oslo" });
    await untilAnnounced(1);
    clock.advance(STILL_RUNNING_MS - 1);
    clock.advance(1);
    const { content, isError } = await first;
    expect(isError).toBe(false);
    expect(JSON.stringify(content)).toContain('still running. Call curlew_wait with {\\"id\\":\\"call_0');
  };

  it("is answered in time, and its result goes to the wait tool", async () => {
    await begin();
    const waiting = call("curlew_wait", { id: "call_0" });
    await expect.poll(() => clock.sleeping).toBe(1);
    text("call_0", "cold");
    expect((await waiting).content).toEqual([{ type: "text", text: "cold" }]);
    expect(announced).toHaveLength(1);
  });

  it("keeps its result until it is asked for, and returns it once", async () => {
    await begin();
    text("call_0", "cold");
    expect(calls.open).toEqual([]);
    expect((await call("curlew_wait", { id: "call_0" })).content).toEqual([{ type: "text", text: "cold" }]);
    expect(await call("curlew_wait", { id: "call_0" })).toMatchObject({ isError: true });
  });

  it("may be waited for again and again", async () => {
    await begin();
    const waiting = call("curlew_wait", { id: "call_0" });
    await expect.poll(() => clock.sleeping).toBe(1);
    clock.advance(STILL_RUNNING_MS);
    expect(JSON.stringify((await waiting).content)).toContain("still running");
    expect(calls.open).toHaveLength(1);
  });

  it("is not run twice when the model makes it again instead of waiting", async () => {
    await begin();
    const again = call("weather", { city: "Oslo" });
    await expect.poll(() => clock.sleeping).toBe(1);
    text("call_0", "cold");
    expect((await again).content).toEqual([{ type: "text", text: "cold" }]);
    expect(announced).toHaveLength(1);
  });

  it("is not run twice when the CLI has given up on it", async () => {
    const leaving = new AbortController();
    const first = call("weather", { city: "Oslo" }, { signal: leaving.signal });
    await untilAnnounced(1);
    leaving.abort();
    await expect(first).rejects.toThrow();
    await expect.poll(() => clock.sleeping).toBe(0);
    const again = call("weather", { city: "Oslo" });
    await expect.poll(() => clock.sleeping).toBe(1);
    text("call_0", "cold");
    expect((await again).content).toEqual([{ type: "text", text: "cold" }]);
    expect(announced).toHaveLength(1);
  });

  it("sends progress to a CLI that asks for it", async () => {
    const onprogress = vi.fn();
    const running = call("weather", {}, { onprogress });
    await untilAnnounced(1);
    clock.advance(20_000);
    await expect.poll(() => onprogress).toHaveBeenCalledTimes(2);
    text("call_0", "cold");
    await running;
  });
});

describe("access to the MCP server", () => {
  const knock = ({ path, ...headers }: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const url = new URL(address.url);
      const options = { host: url.hostname, port: url.port, path: path ?? url.pathname, method: "POST", headers };
      const sent = request(options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.once("error", reject);
      sent.end("{}");
    });

  it("is refused to other host names, web pages, wrong paths and wrong tokens", async () => {
    const { authorization } = address;
    expect(await knock({ authorization, host: "evil.example" })).toBe(403);
    expect(await knock({ authorization, origin: "http://127.0.0.1" })).toBe(403);
    expect(await knock({ authorization, path: "/mcp/other" })).toBe(404);
    expect(await knock({})).toBe(401);
    expect(await knock({ authorization: authorization.replace(/.$/, "!") })).toBe(401);
    expect(await knock({ authorization, "content-type": "text/plain" })).toBe(415);
  });

  it("is granted to each session on its own path, until that session is closed", async () => {
    const other = await listener.serve(() => createToolServer([], calls));
    expect(other.url).not.toBe(address.url);
    expect(await knock({ authorization: other.authorization })).toBe(401);
    other.close();
    expect(await knock({ authorization: other.authorization, path: new URL(other.url).pathname })).toBe(404);
    expect((await client.listTools()).tools).toHaveLength(3);
  });
});
