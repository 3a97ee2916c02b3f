import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { AbandonedRun } from "../packages/gateway/turn/events/channels.js";
import { postJson } from "../testing/clients/post-json.js";
import { chat, tool } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { freePort } from "../testing/network/local-server.js";
import { serveHttp } from "../testing/network/serve-http.js";
import { runCurlew, serveCurlew } from "../testing/programs/curlew-process.js";
import { startedEach } from "../testing/started.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const ENDLESS = "[[say begun]] [[wait 3600000]]";
const messages = [{ role: "user", content: ENDLESS }];
const STOPPED = expect.stringContaining("The owner of this gateway stopped this run");

const stop = (home: string, ...args: string[]) => runCurlew(["stop", ...args], { env: { CURLEW_HOME: home } });

interface RunFile {
  readonly pid: number;
  readonly url: string;
  readonly started: string;
  readonly token: string;
}

const runFolder = (home: string) => join(home, "run");
const runFileOf = (home: string, url: string) => join(runFolder(home), `${new URL(url).port}.json`);
const readRun = (home: string, url: string): RunFile => JSON.parse(readFileSync(runFileOf(home, url), "utf8"));

describe("curlew stop", () => {
  const system = startedEach(() => startWholeSystem());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    postJson(`${system.url}${path}`, { model: "auto", ...body }, { "anthropic-version": "2023-06-01", ...headers });

  /** The last frame of a streamed reply. */
  async function lastFrame(response: Response): Promise<unknown> {
    const data = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    return JSON.parse(data.at(-1)?.slice("data: ".length) ?? "null");
  }

  const runsOpen = () => system.simulator.stats().runsOpen;

  it("ends every run with a clean error in each dialect, and the gateway keeps running", async () => {
    const abandoned: AbandonedRun[] = [];
    const onAbandoned = (message: unknown) => abandoned.push(message as AbandonedRun);
    subscribe("curlew:run:abandoned", onAbandoned);
    onTestFinished(() => void unsubscribe("curlew:run:abandoned", onAbandoned));

    const parked = await chat(system.url, [{ role: "user", content: "[[call look {}]] then" }], {
      tools: [tool("look")],
    });
    expect(parked.finish).toBe("tool_calls");
    const background = (await (
      await post("/v1/responses", { input: ENDLESS, background: true, store: true })
    ).json()) as { id: string };
    const socket = new WebSocket(`${system.url.replace("http", "ws")}/v1/responses`);
    await once(socket, "open");
    const heard: { type: string }[] = [];
    socket.on("message", (data) => heard.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ type: "response.create", model: "auto", input: ENDLESS }));
    const streams = [
      post("/v1/chat/completions", { messages, stream: true }),
      post("/v1/completions", { prompt: ENDLESS, stream: true }),
      post("/v1/responses", { input: ENDLESS, stream: true }),
      post("/v1/messages", { messages, max_tokens: 1_000, stream: true }),
    ];
    const wholes = [
      post("/v1/chat/completions", { messages }),
      post("/v1/responses", { input: ENDLESS }),
      post("/v1/messages", { messages, max_tokens: 1_000 }),
    ];
    const rejoinable = post("/v1/chat/completions", { messages, stream: true }, { "idempotency-key": "mine" });
    const runs = 2 + 1 + streams.length + wholes.length + 1;
    await expect.poll(runsOpen).toBe(runs);
    await Promise.all([...streams, rejoinable]); // wait until each has begun

    const { code, stdout, stderr } = await stop(system.home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`${system.url}: stopped ${runs} runs (${runs - 1} answering, 1 waiting for tools).\n`);
    await expect.poll(runsOpen).toBe(0);
    expect(system.simulator.stats()).toMatchObject({ runs, cancelled: runs });

    const [chatEnd, completionEnd, responseEnd, messageEnd] = await Promise.all(
      streams.map(async (each) => lastFrame(await each)),
    );
    const openAi = { error: { code: "canceled", type: "api_error", message: STOPPED } };
    expect(chatEnd).toMatchObject(openAi);
    expect(completionEnd).toMatchObject(openAi);
    expect(responseEnd).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { message: STOPPED } },
    });
    expect(messageEnd).toMatchObject({
      type: "error",
      error: { code: "canceled", type: "api_error", message: STOPPED },
    });
    expect(await lastFrame(await rejoinable)).toMatchObject(openAi);
    for (const each of wholes) {
      const response = await each;
      // No official client retries such a request.
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([499, "false"]);
      expect(await response.json()).toMatchObject({ error: { code: "canceled", message: STOPPED } });
    }
    await expect.poll(() => heard.at(-1)?.type).toBe("response.failed");
    const kept = (await (await fetch(`${system.url}/v1/responses/${background.id}`)).json()) as object;
    expect(kept).toMatchObject({ status: "failed", error: { message: STOPPED } });
    expect(abandoned.map(({ reason }) => reason)).toEqual(["stopped"]);

    // The conversation and the WebSocket work again at once.
    const again = await post("/v1/chat/completions", { messages: [{ role: "user", content: "[[say hello]]" }] });
    expect(again.status).toBe(200);
    const results = parked.calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "seen" }));
    const question = { role: "user" as const, content: "[[call look {}]] then" };
    const next = await chat(system.url, [question, parked.message, ...results], { tools: [tool("look")] });
    expect(next.finish).toBe("stop");
    socket.send(JSON.stringify({ type: "response.create", model: "auto", input: "[[say hello]]" }));
    await expect.poll(() => heard.at(-1)?.type).toBe("response.completed");
    socket.close();
  });

  it("reaches every gateway of the home, and no others", async () => {
    const other = await openWholeSystem();
    const second = await system.startAnother();
    const open = [system.url, second, other.url].map((url) =>
      postJson(`${url}/v1/chat/completions`, { model: "auto", stream: true, messages }),
    );
    await Promise.all(open);
    const { stdout } = await stop(system.home, "--json");
    const stopped = { replies: 1, waiting: 0 };
    const { gateways } = JSON.parse(stdout) as { gateways: { url: string }[] };
    const expected = [system.url, second].map((url) => ({ url, pid: process.pid, stopped, problem: null }));
    expect(gateways.sort((a, b) => a.url.localeCompare(b.url))).toEqual(
      expected.sort((a, b) => a.url.localeCompare(b.url)),
    );
    expect(other.simulator.stats().runsOpen).toBe(1);
    for (const each of open) await (await each).body?.cancel();
  });

  it("ends only the named conversation", async () => {
    const begin = (content: string) =>
      post("/v1/chat/completions", { stream: true, messages: [{ role: "user", content }] });
    const [one, other] = await Promise.all([begin(`one ${ENDLESS}`), begin(`other ${ENDLESS}`)]);
    await chat(system.url, [{ role: "user", content: "[[call look {}]] then" }], { tools: [tool("look")] });
    const logged = async () => (await runCurlew(["logs", "--json"], { env: { CURLEW_HOME: system.home } })).stdout;
    await expect.poll(logged).not.toBe("");
    const { thread: conversation } = JSON.parse(await logged()) as { thread: string };
    expect(await stop(system.home, conversation)).toMatchObject({
      stdout: `${system.url}: stopped 1 run (1 waiting for tools).\n`,
    });
    await expect.poll(runsOpen).toBe(2);
    expect(await stop(system.home, conversation)).toMatchObject({ stdout: `${system.url}: nothing was running.\n` });
    expect(await stop(system.home, "a/b")).toMatchObject({ code: 2 });
    await Promise.all([one, other].map((each) => each?.body?.cancel()));
  });

  it("reports that nothing runs, or no gateway", async () => {
    expect(await stop(system.home)).toEqual({
      code: 0,
      stdout: `${system.url}: nothing was running.\n`,
      stderr: "",
    });
    const empty = temporaryFolder();
    expect(await stop(empty)).toEqual({ code: 0, stdout: "No gateway is running.\n", stderr: "" });
    expect(await stop(empty, "--json")).toMatchObject({ code: 0, stdout: '{\n  "gateways": []\n}\n' });
  });
});

describe("the route for the owner's commands", () => {
  const system = startedEach(() => startWholeSystem({}, { corsOrigins: ["https://app.example"] }));

  const knock = (headers: Record<string, string>, method = "POST") =>
    fetch(`${system.url}/curlew/stop`, { method, headers });

  it("has its token in a file for the owner alone", async () => {
    const file = runFileOf(system.home, system.url);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(runFolder(system.home)).mode & 0o777).toBe(0o700);
    expect(readRun(system.home, system.url)).toEqual({
      pid: process.pid,
      url: system.url,
      started: expect.stringMatching(/^\d{4}-.*Z$/),
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const another = await system.startAnother();
    expect(readRun(system.home, another).token).not.toBe(readRun(system.home, system.url).token);
  });

  it("accepts only its token, and never a web page", async () => {
    const { token } = readRun(system.home, system.url);
    expect((await knock({ "x-curlew-control": token })).status).toBe(200);
    expect((await knock({})).status).toBe(401);
    expect((await knock({ "x-curlew-control": `${token}x` })).status).toBe(401);
    expect((await knock({ authorization: `Bearer ${token}` })).status).toBe(401);
    for (const origin of [system.url, "https://app.example", "null", "vscode-webview://x"]) {
      expect((await knock({ "x-curlew-control": token, origin })).status).toBe(403);
    }
    expect((await knock({ "x-curlew-control": token }, "GET")).status).toBe(405);
    expect((await knock({}, "GET")).status).toBe(401);
  });

  it("is not in the OpenAPI document", async () => {
    const document = await (await fetch(`${system.url}/openapi.json`)).text();
    expect(document).not.toContain("/curlew/stop");
    expect(document).not.toContain("x-curlew-control");
  });

  it("loses its file when the gateway ends", async () => {
    const env = { CURLEW_HOME: temporaryFolder() };
    const gateway = await serveCurlew([], { env });
    expect(readRun(env.CURLEW_HOME, gateway.url).pid).toBe(process.pid);
    gateway.signal("SIGTERM");
    await gateway.finished;
    expect(readdirSync(runFolder(env.CURLEW_HOME))).toEqual([]);
  });

  it.each([
    ["a dead process", async () => ({ pid: 2 ** 22 + 1, url: "http://127.0.0.1:9" })],
    ["a port without a listener", async () => ({ pid: process.pid, url: `http://127.0.0.1:${await freePort()}` })],
    ["another gateway, which refuses the token", async () => ({ pid: process.pid, url: system.url })],
  ])("is ignored and cleaned up when left behind by %s", async (_, left) => {
    const home = temporaryFolder();
    mkdirSync(runFolder(home), { mode: 0o700 });
    const file = join(runFolder(home), "9.json");
    writeFileSync(file, JSON.stringify({ ...(await left()), started: new Date(0).toISOString(), token: "old" }));
    expect(await stop(home)).toEqual({ code: 0, stdout: "No gateway is running.\n", stderr: "" });
    expect(existsSync(file)).toBe(false);
  });

  it("is reported when the gateway gives an unexpected answer", async () => {
    const url = await serveHttp((_, response) => response.writeHead(500).end());
    const home = temporaryFolder();
    mkdirSync(runFolder(home), { mode: 0o700 });
    const file = join(runFolder(home), "9.json");
    const run = { pid: process.pid, url, started: new Date(0).toISOString(), token: "mine" };
    writeFileSync(file, JSON.stringify(run));
    const { code, stdout } = await stop(home);
    expect([code, stdout]).toEqual([
      1,
      `${url}: could not be asked (it answered with status 500). To end it as a whole, end process ${process.pid}.\n`,
    ]);
    expect(existsSync(file)).toBe(true);
  });
});
