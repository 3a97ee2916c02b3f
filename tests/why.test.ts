import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Paragraph } from "../src/why/index.js";
import { type ChatExtras, type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { startGatewayProcess } from "../testing/programs/gateway-process.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const LEASE_MS = 1_000;
const tools = [tool("weather", { city: { type: "string" } }), tool("time")];
const long = "word ".repeat(2_000);
const user = (content: string): ChatMessage => ({ role: "user", content });
const rules = (content: string): ChatMessage => ({ role: "system", content });

let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem({}, { leaseMs: LEASE_MS });
});
afterAll(() => system.close());

/** Sends a request under this id. */
function send(id: string, messages: readonly ChatMessage[], { headers, ...extras }: ChatExtras = {}) {
  return chat(system.url, messages, { tools, ...extras, headers: { "x-request-id": id, ...headers } });
}

/** What the command says about a request: the same in words and in JSON. */
async function why(id: string, home = system.home): Promise<readonly Paragraph[]> {
  const env = { CURLEW_HOME: home };
  const words = await runCurlew(["why", id], { env });
  expect(words).toMatchObject({ code: 0, stderr: "" });
  const json = await runCurlew(["why", id, "--json"], { env });
  const { paragraphs, ...about }: { id: string; paragraphs: Paragraph[] } = JSON.parse(json.stdout);
  expect(about.id).toBe(id);
  const text = words.stdout.replace(/\s+/g, " ");
  for (const { what, advice } of paragraphs) {
    expect(text).toContain(what);
    if (advice !== null) expect(text).toContain(`→ ${advice}`);
  }
  return paragraphs;
}

/** A conversation of two turns, whose second the test changes. */
async function secondTurn(id: string, change: (messages: ChatMessage[]) => [ChatMessage[], ChatExtras?]) {
  const messages = [rules("Be brief."), user(`${id} ${long}[[say one]]`)];
  const first = await send(`${id}-before`, messages);
  const [changed, extras] = change([...messages, first.message, user("[[say two]]")]);
  await send(id, changed, extras);
  return why(id);
}

const sentAgain = /and about 2,500 tokens of the conversation were sent again\.$/;

describe("the reason of a cold or dear turn", () => {
  it("is an edited history", async () => {
    const messages = [user("edited. [[say one]]")];
    const first = await send("edited-1", messages);
    messages.push(first.message, user(`${long}[[say two]]`));
    const second = await send("edited-2", messages);
    const edited = { ...second.message, content: "never said" };
    expect((await send("edited", [...messages, edited, user("[[say three]]")])).continuity).toBe("cold:edited");
    const [reason] = await why("edited");
    expect(reason).toMatchObject({ topic: "cold:edited", advice: expect.stringContaining("rewrites old messages") });
    expect(reason?.what).toMatch(sentAgain);
  });

  it("is another system prompt", async () => {
    const [reason] = await secondTurn("system", ([, ...rest]) => [[rules("It is 12:01."), ...rest]]);
    expect(reason).toMatchObject({
      topic: "warm:settings-changed",
      what: expect.stringMatching(/^The system prompt differs from that of the last reply\. Cursor still had/),
      advice: expect.stringMatching(/^Keep the system prompt the same within a conversation\./),
    });
  });

  it("is another list of tools", async () => {
    const [reason] = await secondTurn("tools", (messages) => [messages, { tools: tools.slice(1) }]);
    expect(reason).toMatchObject({
      topic: "warm:settings-changed",
      what: expect.stringMatching(/^The client's tools differ from those of the last reply\./),
      advice: expect.stringContaining("MCP server"),
    });
  });

  it("is another model", async () => {
    const paragraphs = await secondTurn("model", (messages) => [
      [...messages.slice(0, -1), user("[[say two]] [[usage 9000 10 0 0 0]]")],
      { model: "gpt-5.5" },
    ]);
    expect(paragraphs.find(({ topic }) => topic === "model-changed")?.what).toMatch(
      /^The last reply of this conversation came from auto, this one from gpt-5\.5-medium\. No model can read/,
    );
  });

  it("is a conversation from elsewhere", async () => {
    await send("foreign", [user(long), { role: "assistant", content: "I see." }, user("[[say hello]]")]);
    const [reason] = await why("foreign");
    expect(reason?.topic).toBe("cold:new");
    expect(reason?.what).toMatch(
      /^The request brought a conversation of about 2,500 tokens that this gateway did not know, and all of it was sent\./,
    );
  });

  it("is a call that was made elsewhere", async () => {
    const call = { id: "sess_abc__call_42", type: "function" as const, function: { name: "time", arguments: "{}" } };
    const made: ChatMessage = { role: "assistant", content: null, tool_calls: [call] };
    await send("unknown-call", [user("[[call time {}]] then [[say late]]"), made, result(call, "midnight")]);
    const [reason] = await why("unknown-call");
    expect(reason).toMatchObject({ topic: "cold:unknown-call", advice: expect.stringContaining("ids of tool calls") });
  });

  it("is a second request with the same results", async () => {
    const question = user("raced: [[call time {}]] then [[say done]]");
    const first = await send("raced-before", [question]);
    const answered = [question, first.message, result(first.calls[0], "noon")];
    const both = await Promise.all(["raced-a", "raced-b"].map((id) => send(id, answered)));
    const loser = both[0]?.continuity === "cold:raced" ? "raced-a" : "raced-b";
    const [reason] = await why(loser);
    expect(reason).toMatchObject({
      topic: "cold:raced",
      what: expect.stringMatching(/^Two requests brought results of the same tool calls\./),
    });
  });

  it("is a run that waited in vain, and results that came too late for it", async () => {
    const question = user("late: [[call time {}]] then [[say done]]");
    const first = await send("late-before", [question]);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    await send("late", [question, first.message, result(first.calls[0], "noon")]);
    const [reason] = await why("late");
    expect(reason).toMatchObject({ topic: "resumed", advice: expect.stringContaining("raise leaseMs") });
    expect(reason?.what).toMatch(
      /^The tool results came too late for the run that waited for them, [\d.]+ m?s after the model had asked for them\./,
    );
    const given = await why("late-before");
    expect(given).toContainEqual({
      topic: "abandoned",
      what: "The reply ended with 1 tool call, and the run that waited for the results was given up, because none came in time.",
      advice: expect.stringContaining("leaseMs"),
    });
    expect(given.find(({ topic }) => topic === "cost")?.what).toMatch(/^Curlew estimates that the turn read about/);
  });

  it("is a message instead of results", async () => {
    const question = user("instead: [[call time {}]] then [[say done]]");
    const first = await send("instead-before", [question]);
    await send("instead", [question, first.message, user("Never mind. [[say all right]]")]);
    const [reason] = await why("instead");
    expect(reason?.what).toMatch(
      /^The client sent another message instead of the tool results that a run waited for\./,
    );
    expect(await why("instead-before")).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining("because the client sent another message instead") }),
    );
  });

  it("is content that is gone", async () => {
    const lossy = await startWholeSystem({ lostBlobs: true, missingBlob: "named" });
    onTestFinished(() => lossy.close());
    const messages = [user(`${long}[[say one]]`)];
    const first = await chat(lossy.url, messages);
    const headers = { "x-request-id": "gone" };
    await chat(lossy.url, [...messages, first.message, user("[[say two]]")], { headers });
    const [reason] = await why("gone", lossy.home);
    expect(reason).toMatchObject({ topic: "cold:blob-missing", what: expect.stringMatching(sentAgain) });
  });

  it("is a large context, and much thinking", async () => {
    const messages = [user("large: [[say one]]")];
    const first = await send("large-before", messages);
    await send("large", [...messages, first.message, user("[[say two]] [[usage 154000 9000 150000 0 8000]]")]);
    const paragraphs = await why("large");
    expect(paragraphs.map(({ what }) => what)).toEqual([
      "The conversation went on exactly where Cursor had it, and nothing was sent again.",
      "The turn read 154,000 tokens, 150,000 of them (97%) from the cache, and wrote 9,000.",
      "The context is large: 154,000 tokens. The model reads all of it with every call, and what the cache serves is cheaper, but not free.",
      "8,000 of the 9,000 tokens that the model wrote were thinking.",
    ]);
  });

  it("is a cache that has forgotten the conversation", async () => {
    const messages = [user("forgotten: [[say one]] [[usage 50000 10 0 0 0]]")];
    const first = await send("forgotten-before", messages);
    await send("forgotten", [...messages, first.message, user("[[say two]] [[usage 51000 10 1000 0 0]]")]);
    expect((await why("forgotten")).find(({ topic }) => topic === "cache-unused")?.what).toMatch(
      /^The client changed nothing, but the model's cache had only 1,000 of the 50,000 tokens that the conversation had before\./,
    );
  });
});

describe("the reason of a reply that is not complete", () => {
  it("is the plan, with its code", async () => {
    const words = "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]";
    await expect(send("quota", [user(words)])).rejects.toMatchObject({ code: "insufficient_quota" });
    const [reason] = await why("quota");
    expect(reason).toMatchObject({ topic: "insufficient_quota", advice: expect.stringContaining("curlew usage") });
  });

  it("is a Cursor that fails again and again", async () => {
    await expect(send("failing", [user("[[fail unavailable]]")])).rejects.toThrow();
    const retried = (await why("failing")).find(({ topic }) => topic === "retries");
    expect(retried).toEqual({
      topic: "retries",
      what: `Curlew had to repeat it 3 times at Cursor (4 runs) and it failed in the end.`,
      advice: expect.stringContaining("curlew doctor --live"),
    });
  });

  it("is a client that leaves", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${system.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "left" },
      body: JSON.stringify({ model: "auto", stream: true, messages: [user("[[say begun]] [[wait 60000]]")] }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await expect
      .poll(async () => (await runCurlew(["why", "left"], { env: { CURLEW_HOME: system.home } })).code)
      .toBe(0);
    const [reason] = await why("left");
    expect(reason?.what).toMatch(/^The client closed the connection after .+, in the middle of the reply\.$/);
  });

  it("is a question that nobody has answered yet", async () => {
    const asking = await startWholeSystem({}, { confirmCold: 100 });
    onTestFinished(() => asking.close());
    const messages: ChatMessage[] = [user(long), { role: "assistant", content: "I see." }, user("[[say hello]]")];
    const headers = { "x-request-id": "asked" };
    await expect(chat(asking.url, messages, { headers })).rejects.toMatchObject({ code: "confirm_cold" });
    const [reason] = await why("asked", asking.home);
    expect(reason).toMatchObject({
      topic: "confirm_cold",
      what: expect.stringContaining("would send about 2,502 tokens of the conversation to Cursor again"),
    });
  });

  it("is a process that was killed", async () => {
    const home = mkdtempSync(join(tmpdir(), "curlew-why-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const simulator = await startSimulator();
    onTestFinished(() => simulator.close());
    const gateway = await startGatewayProcess(simulator.url, home);
    const headers = { "x-request-id": "killed" };
    const asked = chat(gateway.url, [user("[[wait 60000]]")], { headers }).catch(() => {});
    await expect.poll(() => simulator.stats().runsOpen).toBe(1);
    await gateway.kill();
    await asked;
    const [reason] = await why("killed", home);
    expect(reason).toMatchObject({
      topic: "interrupted",
      what: expect.stringMatching(/^The gateway's process ended before this request did/),
    });
  });
});

describe("a request that is repeated", () => {
  it("has joined the first one", async () => {
    const messages = [user("joined: [[say begun]] [[wait 300]]")];
    const headers = { "idempotency-key": "once" };
    const first = send("joined-before", messages, { headers });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(1);
    await Promise.all([first, send("joined", messages, { headers })]);
    expect((await why("joined")).find(({ topic }) => topic === "joined")?.what).toBe(
      "This request is a repetition of joined-before and got that one's reply. No second run was started, and nothing is counted twice.",
    );
  });
});

describe("without an id", () => {
  it("takes the turn that sent the most again, and says so", async () => {
    const fresh = await startWholeSystem();
    onTestFinished(() => fresh.close());
    const env = { CURLEW_HOME: fresh.home };
    expect(await runCurlew(["why"], { env })).toMatchObject({
      code: 1,
      stderr: "curlew: There are no requests yet, so there is nothing to explain.\n",
    });
    const ask = (id: string, messages: ChatMessage[]) => chat(fresh.url, messages, { headers: { "x-request-id": id } });
    await ask("plain", [user("[[say one]]")]);
    await ask("foreign", [user(long), { role: "assistant", content: "I see." }, user("[[say hello]]")]);
    await ask("last", [user("[[say two]]")]);
    const { stdout } = await runCurlew(["why"], { env });
    expect(stdout).toMatch(
      /^Of the last 3 turns, this one sent the most of its conversation again: about 2,500 tokens\.\n/,
    );
    expect(stdout).toMatch(/ foreign\n/);
    expect(JSON.parse((await runCurlew(["why", "--json"], { env })).stdout)).toMatchObject({
      id: "foreign",
      because: expect.stringContaining("the most"),
    });
  });
});
