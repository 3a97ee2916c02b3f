import { connect, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { leaveMidway } from "../testing/clients/post-json.js";
import { chat } from "../testing/clients/tool-client.js";
import { openWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { listenLocally } from "../testing/network/local-server.js";

const say = async ({ url }: WholeSystem, words = "[[say hi]]") =>
  (await chat(url, [{ role: "user", content: words }])).text;
const runsOf = ({ simulator }: WholeSystem) =>
  simulator
    .requests(50)
    .map(({ path }) => path.split("/").at(-1))
    .filter((name) => name === "Run" || name === "RunSSE");
const transportOf = async ({ url }: WholeSystem) => {
  const health = (await (await fetch(`${url}/health`)).json()) as { transport: unknown };
  return health.transport;
};

/** A network that passes HTTP/1.1 and closes HTTP/2 connections. */
async function startBlockade(): Promise<{ url: string; leadTo(url: string): void; blocked(): number }> {
  let target = "";
  let blocked = 0;
  const server = createServer((near) => {
    near.once("data", (first: Buffer) => {
      if (first.subarray(0, 3).toString() === "PRI") {
        blocked += 1;
        near.destroy();
        return;
      }
      const far = connect(Number(new URL(target).port), "127.0.0.1");
      far.on("error", () => {});
      far.write(first);
      near.pipe(far).pipe(near);
      near.once("close", () => far.destroy());
      far.once("close", () => near.destroy());
    });
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return {
    url,
    leadTo(origin) {
      target = origin;
    },
    blocked: () => blocked,
  };
}

it.each([
  ["h2", "Run"],
  ["h1", "RunSSE"],
] as const)("follows Cursor's advice: %s", async (transport, call) => {
  const system = await openWholeSystem({ transport });
  expect(await say(system)).toBe("hi");
  expect(runsOf(system)).toEqual([call]);
  expect(await transportOf(system)).toEqual({ name: transport, reason: "advised" });
});

it("uses HTTP/1.1 if configured, whatever Cursor advises", async () => {
  const system = await openWholeSystem({ transport: "h2" }, { transport: "h1" });
  expect(await say(system)).toBe("hi");
  expect(runsOf(system)).toEqual(["RunSSE"]);
  expect(await transportOf(system)).toEqual({ name: "h1", reason: "set" });
});

it("names the setting if HTTP/2 is configured and Cursor refuses it", async () => {
  const system = await openWholeSystem({ transport: "h1" }, { transport: "h2" });
  await expect(say(system)).rejects.toMatchObject({
    status: 502,
    message: expect.stringContaining("CURLEW_TRANSPORT"),
  });
});

it("falls back at once on a network that closes HTTP/2, and does not try it again", async () => {
  const blockade = await startBlockade();
  const system = await openWholeSystem({}, { backendUrl: blockade.url });
  blockade.leadTo(system.simulator.url);
  expect(await say(system)).toBe("hi");
  expect(await say(system)).toBe("hi");
  expect(blockade.blocked()).toBe(1);
  expect(runsOf(system)).toEqual(["RunSSE", "RunSSE"]);
  expect(await transportOf(system)).toEqual({ name: "h1", reason: "http2-refused" });
});

it("falls back when a server begins to refuse HTTP/2", async () => {
  const system = await openWholeSystem({});
  await say(system);
  system.simulator.configure({ transport: "h1" });
  expect(await say(system)).toBe("hi");
  expect(runsOf(system)).toEqual(["Run", "RunSSE"]);
});

it("stays with HTTP/2 when the agent host is unreachable", async () => {
  const system = await openWholeSystem({}, { agentUrl: "http://127.0.0.1:9", retries: 0 });
  await expect(say(system)).rejects.toMatchObject({ message: expect.stringContaining("ECONNREFUSED") });
  expect(await transportOf(system)).toEqual({ name: "h2", reason: "advised" });
});

it("carries twenty concurrent conversations with tools over HTTP/1.1", async () => {
  const system = await openWholeSystem({ transport: "h1" });
  const tools = [{ type: "function", function: { name: "tide", parameters: { type: "object", properties: {} } } }];
  const talk = async (index: number) => {
    const messages = [{ role: "user" as const, content: `[[call tide {"n":${index}}]] then [[say end ${index}]]` }];
    const { calls, message } = await chat(system.url, messages, { tools });
    const content = `level ${index} ${"x".repeat(200_000)}`;
    const result = { role: "tool" as const, tool_call_id: calls[0]?.id ?? "", content };
    const last = await chat(system.url, [...messages, message, result], { tools });
    expect(last.text).toContain(`level ${index} `);
    expect(last.text.endsWith(`end ${index}`)).toBe(true);
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => talk(index)));
  expect(system.simulator.stats()).toMatchObject({ runs: 20, execsAbandoned: 0 });
});

it("cancels a run over HTTP/1.1 when its client disconnects", async () => {
  const system = await openWholeSystem({ transport: "h1" });
  const messages = [{ role: "user", content: "[[say begun]] [[wait 60000]]" }];
  await leaveMidway(`${system.url}/v1/chat/completions`, { messages });
  await expect.poll(() => system.simulator.stats().cancelled).toBe(1);
});
