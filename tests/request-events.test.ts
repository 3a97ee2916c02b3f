import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventName, RequestRecord } from "../packages/gateway/turn/events/channels.js";
import { eventNames } from "../packages/gateway/turn/events/channels.js";
import { leaveMidway, postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

interface Heard {
  readonly event: string;
  readonly message: RequestRecord & Record<string, unknown>;
}

let system: WholeSystem;
let heard: Heard[];
const listeners = eventNames.map((name: EventName) => ({
  name,
  onMessage: (message: unknown) =>
    heard.push({ event: name.slice("curlew:".length), message: message as Heard["message"] }),
}));

beforeEach(async () => {
  heard = [];
  for (const { name, onMessage } of listeners) subscribe(name, onMessage);
  system = await startWholeSystem({}, { leaseMs: 1_000 });
});
afterEach(async () => {
  await system.close();
  for (const { name, onMessage } of listeners) unsubscribe(name, onMessage);
});

const events = () => heard.map(({ event }) => event).filter((event) => event.startsWith("request:"));
const ended = () => heard.filter(({ event }) => event === "request:finished" || event === "request:failed");
const hasEnded = (count: number) => expect.poll(() => ended().length).toBe(count);

describe("a warning about what a client asks for in every request", () => {
  it("is given once a conversation, and again when it changes", async () => {
    const opening: ChatMessage = { role: "user", content: "[[call bash {}]] then [[say done]]" };
    const ask = (messages: ChatMessage[], reasoning_effort: string) =>
      chat(system.url, messages, { tools: [tool("bash")], reasoning_effort });
    const first = await ask([opening], "medium");
    const answered = [opening, first.message, result(first.calls[0], "ok")];
    const second = await ask(answered, "medium");
    const next: ChatMessage[] = [...answered, second.message, { role: "user", content: "[[say more]]" }];
    await ask(next, "medium");
    await ask(next, "high");
    await ask([opening], "medium");
    await hasEnded(5);
    const efforts = ended().map(({ message }) => message.warnings?.map((text) => /effort (\w+)/.exec(text)?.[1]));
    expect(efforts).toEqual([["medium"], [], [], ["high"], ["medium"]]);
  });
});

describe("a request that a client sends by itself", () => {
  const sides = () => ended().map(({ message }) => message.side);

  it("is told apart from what a person typed", async () => {
    const talk: ChatMessage[] = [
      { role: "system", content: "You are a coding agent." },
      { role: "user", content: "[[say Done.]]" },
      { role: "assistant", content: "Done." },
    ];
    const ask = (content: string) => chat(system.url, [...talk, { role: "user", content }], { tools: [tool("bash")] });
    await ask("[[say Done again.]]");
    await ask("[SUGGESTION MODE: Suggest what the user might naturally type next.]");
    const reviewed: ChatMessage[] = [
      { role: "user", content: "The following is the Codex agent history. [[call bash {}]] then [[say allow]]" },
    ];
    const { message, calls } = await chat(system.url, reviewed, { tools: [tool("bash")] });
    await chat(system.url, [...reviewed, message, result(calls[0], "ok")], { tools: [tool("bash")] });
    await postJson(`${system.url}/v1/responses/compact`, { model: "auto", input: "Hello" });
    await chat(system.url, [
      { role: "system", content: "Write only a short title for this conversation." },
      { role: "user", content: "Repair the date parser" },
    ]);
    await hasEnded(6);
    expect(sides()).toEqual([undefined, "suggestion", "check", "check", "compaction", "title"]);
  });

  it("does not keep its run when the call is the answer", async () => {
    const schema = { type: "object", required: ["shouldBlock"], properties: { shouldBlock: { type: "boolean" } } };
    const messages: ChatMessage[] = [
      { role: "system", content: "You are a security classifier for an AI coding agent operating in auto mode." },
      { role: "user", content: 'Prior action: bash({"command":"ls"})' },
      { role: "user", content: "## Pending tool call to classify\n\nTool: bash" },
    ];
    const verdict = { type: "function", function: { name: "respond_in_schema", parameters: schema } };
    const { url, simulator } = await openWholeSystem();
    const { calls } = await chat(url, messages, { tools: [verdict], tool_choice: "required" });
    expect(calls.map((call) => call.function.arguments)).toEqual(['{"shouldBlock":false}']);
    await expect.poll(() => simulator.stats().runsOpen).toBe(0);
    expect(sides()).toEqual(["check"]);
    expect(heard.at(-1)).toMatchObject({ event: "run:abandoned", message: { reason: "lease-expired" } });
  });
});

describe("the events of a request", () => {
  it("report the phases and the usage of a short turn", async () => {
    const { text } = await chat(system.url, [{ role: "user", content: "[[say hello]] [[usage 100 20 60 10 5]]" }]);
    await hasEnded(1);
    expect(events()).toEqual(
      ["received", "planned", "opened", "first-byte", "finished"].map((name) => `request:${name}`),
    );
    const record = ended()[0]?.message;
    expect(text).toBe("hello");
    expect(record).toMatchObject({
      dialect: "openai-chat",
      client: "node",
      askedModel: "auto",
      backend: "agent",
      continuity: "cold:new",
      outcome: "ok",
      runs: 1,
      retries: 0,
      round: 0,
      sentAgainTokens: 0,
      turnUsage: {
        inputTokens: 100,
        outputTokens: 20,
        cacheReadTokens: 60,
        cacheWriteTokens: 10,
        reasoningTokens: 5,
        estimated: false,
      },
    });
    expect(record?.sentBytes).toBeGreaterThan(100);
    expect(record?.receivedBytes).toBeGreaterThan(100);
    const times = [record?.startedMs, record?.plannedMs, record?.openedMs, record?.firstByteMs, record?.endedMs];
    expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)));
    expect(times).not.toContain(undefined);
  });

  it("group the requests of a turn, and book the turn once, on the last of them", async () => {
    const question = { role: "user" as const, content: '[[call read {"path":"a"}]] [[usage 300 40 0 0 0]]' };
    const tools = [tool("read")];
    const first = await chat(system.url, [question], { tools });
    const [call] = first.calls;
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "text" };
    await chat(system.url, [question, first.message, result], { tools });
    await hasEnded(2);
    const [one, two] = ended().map(({ message }) => message);
    expect(events()).toContain("request:paused");
    expect(events().filter((event) => event === "request:resumed")).toHaveLength(1);
    expect(one).toMatchObject({ outcome: "ok", clientCalls: 1, round: 0, runs: 1, turnUsage: undefined });
    expect(one?.usage?.estimated).toBe(true);
    expect(two).toMatchObject({ turnId: one?.turnId, round: 1, runs: 0, continuity: "warm", thread: one?.thread });
    expect(two?.turnUsage).toMatchObject({ inputTokens: 300, outputTokens: 40, estimated: false });
  });

  it("report an abandoned run, with an estimate of its usage", async () => {
    await chat(system.url, [{ role: "user", content: "[[call read {}]]" }], { tools: [tool("read")] });
    await expect.poll(() => heard.some(({ event }) => event === "run:abandoned")).toBe(true);
    const [request] = ended();
    const abandoned = heard.find(({ event }) => event === "run:abandoned")?.message;
    expect(abandoned?.request).toBe(request?.message);
    expect(abandoned).toMatchObject({
      requestId: request?.message.requestId,
      reason: "lease-expired",
      usage: { estimated: true },
    });
  });

  it("distinguish turns for which a client uses the same id", async () => {
    const headers = { "x-request-id": "session-1" };
    for (const word of ["one", "two"])
      await chat(system.url, [{ role: "user", content: `[[say ${word}]]` }], { headers });
    await hasEnded(2);
    const records = ended().map(({ message }) => message);
    expect(records.map(({ requestId }) => requestId)).toEqual(["session-1", "session-1"]);
    expect(new Set(records.map(({ turnId }) => turnId)).size).toBe(2);
  });

  it("report that a run still waits after some of the results", async () => {
    const messages: ChatMessage[] = [
      { role: "user", content: "[[call read {}]] [[call write {}]] then [[say done]] [[usage 300 40 0 0 0]]" },
    ];
    const tools = [tool("read"), tool("write")];
    const first = await chat(system.url, messages, { tools });
    messages.push(first.message, result(first.calls[0], "text"));
    const second = await chat(system.url, messages, { tools });
    expect(second.calls.map(({ id }) => id)).toEqual([first.calls[1]?.id]);
    messages.push(result(first.calls[1], "text"));
    await chat(system.url, messages, { tools });
    await hasEnded(3);
    const [one, two, three] = ended().map(({ message }) => message);
    expect(events().filter((event) => event === "request:paused")).toHaveLength(2);
    expect(events().filter((event) => event === "request:resumed")).toHaveLength(1);
    expect([one, two, three]).toMatchObject([
      { round: 0, clientCalls: 2, turnUsage: undefined },
      { round: 1, clientCalls: 1, turnUsage: undefined, turnId: one?.turnId },
      {
        round: 2,
        clientCalls: 0,
        turnUsage: { inputTokens: 300 },
        turnId: one?.turnId,
        turnStartedMs: one?.startedMs,
        earlierRuns: one?.runs,
      },
    ]);
    // The tool time counts only from the second reply.
    expect(three?.clientToolsMs).toBeLessThanOrEqual(Number(three?.startedMs) - Number(two?.plannedMs));
  });

  it("report a failure with its error, and each retried attempt", async () => {
    await chat(system.url, [{ role: "user", content: "[[fail unavailable]]" }]).catch(() => {});
    await hasEnded(1);
    const record = ended()[0]?.message;
    expect(events().at(-1)).toBe("request:failed");
    expect(record?.error?.code).toBe(record?.outcome);
    expect(record?.runs).toBe(1 + Number(record?.retries));
    const attempts = heard.filter(({ event }) => event === "upstream:failed").map(({ message }) => message.isRetried);
    expect(attempts).toEqual([...Array(Number(record?.retries)).fill(true), false]);
  });

  it("book an estimate for a client that disconnects during its answer", async () => {
    const messages = [{ role: "user", content: "[[say begun]] [[wait 60000]]" }];
    await leaveMidway(`${system.url}/v1/messages`, { max_tokens: 1000, messages });
    await hasEnded(1);
    expect(ended()[0]).toMatchObject({
      event: "request:failed",
      message: { dialect: "anthropic-messages", outcome: "client-left", turnUsage: { estimated: true } },
    });
  });

  it("book the whole turn for a client that disconnects right after sending results", async () => {
    const question = { role: "user" as const, content: `${"word ".repeat(400)} [[call read {}]] then [[wait 60000]]` };
    const tools = [tool("read")];
    const first = await chat(system.url, [question], { tools });
    const leaving = new AbortController();
    const body = { model: "auto", tools, messages: [question, first.message, result(first.calls[0], "text")] };
    const reply = postJson(`${system.url}/v1/chat/completions`, body, {}, leaving.signal).catch(() => {});
    await expect.poll(events).toContain("request:resumed");
    leaving.abort();
    await reply;
    await hasEnded(2);
    const { outcome, turnUsage } = ended()[1]?.message ?? {};
    expect(outcome).toBe("client-left");
    expect(turnUsage?.estimated).toBe(true);
    expect(turnUsage?.inputTokens).toBeGreaterThanOrEqual(500);
  });

  it("book the whole turn when the loop guard ends it", async () => {
    await system.close();
    system = await startWholeSystem({}, { toolLoopMaxRepeat: 1 });
    const tools = [tool("read")];
    const content = `${"[[call read {}]] then ".repeat(3)} [[say no]]`;
    const messages: ChatMessage[] = [{ role: "user", content }];
    const turn = async () => {
      const { message, calls } = await chat(system.url, messages, { tools });
      messages.push(message, result(calls[0], "same"));
    };
    for (let round = 0; round < 3; round++) await turn();
    await expect(turn()).rejects.toMatchObject({ code: "tool_loop" });
    await hasEnded(4);
    const booked = ended().map(({ message }) => message.turnUsage);
    const reported = ended().map(({ message }) => message.usage?.inputTokens ?? 0);
    expect(booked.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(booked[3]).toMatchObject({ estimated: true, inputTokens: reported.reduce((sum, tokens) => sum + tokens) });
  });

  it("name the model that failed, not the name that the client used", async () => {
    await chat(system.url, [{ role: "user", content: "[[fail invalid_argument]]" }], { model: "gpt-4" }).catch(
      () => {},
    );
    await hasEnded(1);
    const { askedModel, model, outcome } = ended()[0]?.message ?? {};
    expect(outcome).not.toBe("ok");
    expect([askedModel, model]).toEqual(["gpt-4", "gpt-5.5-medium"]);
  });

  it("count no run for a title call", async () => {
    await chat(system.url, [
      { role: "system", content: "You are a title generator. Output only a short title for the conversation." },
      { role: "user", content: "Please rename the helper functions" },
    ]);
    await hasEnded(1);
    expect(system.simulator.stats().runs).toBe(0);
    const { runs, turnUsage } = ended()[0]?.message ?? {};
    expect(runs).toBe(0);
    expect(turnUsage).toMatchObject({ inputTokens: 9, estimated: true });
  });

  it("carry the client's traceparent, which is not sent to Cursor", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await chat(system.url, [{ role: "user", content: "[[say hello]]" }], { headers: { traceparent } });
    await hasEnded(1);
    expect(ended()[0]?.message.traceParent).toBe(traceparent);
    expect(JSON.stringify(system.simulator.requests(100))).not.toContain("0af7651916cd43dd8448eb211c80319c");
  });

  it("are a single failure for an unreadable request", async () => {
    await fetch(`${system.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    await hasEnded(1);
    expect(heard.map(({ event, message }) => [event, message.outcome])).toEqual(
      expect.arrayContaining([["request:failed", "invalid_json"]]),
    );
    expect(events()).not.toContain("request:received");
  });
});
