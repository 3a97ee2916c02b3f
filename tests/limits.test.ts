import { describe, expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const bash = tool("bash", { command: { type: "string" } });

describe.each([{ stream: true }, { stream: false }])("stop sequences, stream: $stream", (form) => {
  it("end the answer across the borders of deltas, and the run at once", async () => {
    const reply = await chat(system.url, [user("[[say one two three END four]] [[wait 60000]]")], {
      ...form,
      stop: ["four", "o three"],
    });
    expect(reply).toMatchObject({ text: "one tw", finish: "stop" });
    expect(reply.usage?.completion_tokens).toBeGreaterThan(0);
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runsOpen: 0, cancelled: 1 });
  });

  it("that do not come change nothing", async () => {
    const reply = await chat(system.url, [user("[[usage 50 7 0 0 0]] [[say one E EN two EN]]")], {
      ...form,
      stop: "END",
    });
    expect(reply).toMatchObject({ text: "one E EN two EN", finish: "stop", usage: { completion_tokens: 7 } });
    expect(system.simulator.stats().cancelled).toBe(0);
  });

  it("in thinking and in the arguments of calls are none", async () => {
    const words = '[[think END]] [[say a]] [[call bash {"command":"END"}]] then [[say b END c]]';
    const messages = [user(words)];
    const first = await chat(system.url, messages, { ...form, tools: [bash], stop: ["END"] });
    expect(first).toMatchObject({ text: "a", finish: "tool_calls", calls: [{ function: { name: "bash" } }] });
    messages.push(first.message, result(first.calls[0], "ok"));
    const second = await chat(system.url, messages, { ...form, tools: [bash], stop: ["END"] });
    expect(second).toMatchObject({ finish: "stop", calls: [], continuity: "warm" });
    expect(second.text).toMatch(/b $/);
    expect(system.simulator.stats().runs).toBe(1);
  });
});

describe.each([{ stream: true }, { stream: false }])("max_tokens, stream: $stream", (form) => {
  it("cuts the answer, ends the run, and is never exceeded in the answer", async () => {
    const reply = await chat(system.url, [user("[[stream 5000]] [[wait 60000]]")], { ...form, max_tokens: 20 });
    expect(reply.finish).toBe("length");
    expect(reply.text).toHaveLength(100);
    expect(reply.usage?.completion_tokens).toBeLessThanOrEqual(20);
    expect(reply.usage?.prompt_tokens).toBeGreaterThan(0);
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runsOpen: 0, cancelled: 1 });
  });

  it("of the size that clients send does not touch an answer", async () => {
    const reply = await chat(system.url, [user("[[think hm]] [[say All of it.]]")], { ...form, max_tokens: 32_000 });
    expect(reply).toMatchObject({ text: "All of it.", finish: "stop" });
  });

  it("that is used up before a call tells of none and parks no run", async () => {
    const words = `[[say ${"word ".repeat(20)}]] [[call bash {"command":"ls"}]] then [[say never]]`;
    const reply = await chat(system.url, [user(words)], { ...form, tools: [bash], max_tokens: 5 });
    expect(reply).toMatchObject({ finish: "length", calls: [] });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
  });

  it("lets a call that has begun come to its end, and its run goes on", async () => {
    const command = "x".repeat(200);
    const messages = [user(`[[call bash {"command":"${command}"}]] then [[say done]]`)];
    const first = await chat(system.url, messages, { ...form, tools: [bash], max_tokens: 8 });
    expect(first).toMatchObject({ finish: "tool_calls", calls: [{ function: { name: "bash" } }] });
    expect(JSON.parse(first.calls[0]?.function.arguments ?? "")).toEqual({ command });
    messages.push(first.message, result(first.calls[0], "ok"));
    const second = await chat(system.url, messages, { ...form, tools: [bash], max_tokens: 1_000 });
    expect(second).toMatchObject({ finish: "stop", continuity: "warm" });
    expect(second.text).toContain("done");
  });
});

describe("the turn after a cut answer", () => {
  it.each([
    { stop: ["three"], text: "one two " },
    { max_tokens: 2, text: "one two th" },
  ])("goes on from the checkpoint before it, with what the client has read: %j", async ({ text, ...limit }) => {
    const messages = [user("My bird is a curlew. [[say first]]")];
    messages.push((await chat(system.url, messages)).message, user("[[say one two three four]]"));
    const cut = await chat(system.url, messages, limit);
    expect(cut.text).toBe(text);
    messages.push(cut.message, user("What did I say?"));
    const next = await chat(system.url, messages);
    expect(next).toMatchObject({ continuity: "resumed", finish: "stop" });
    expect(next.text).toContain("My bird is a curlew.");
    expect(system.simulator.stats()).toMatchObject({ runs: 3, conversations: 1 });
    messages.push(next.message, user("[[say warm again]]"));
    expect(await chat(system.url, messages)).toMatchObject({ continuity: "warm", text: "warm again" });
  });

  it("starts from the transcript when the first answer of all was cut", async () => {
    const messages = [user("[[say one two three]]")];
    messages.push((await chat(system.url, messages, { stop: "two" })).message, user("[[say next]]"));
    expect(await chat(system.url, messages)).toMatchObject({ text: "next", finish: "stop" });
  });
});

it("says that the usage of a cut answer is an estimate", async () => {
  const response = await postJson(`${system.url}/v1/chat/completions`, {
    model: "auto",
    messages: [user("[[say a b c]] [[wait 60000]]")],
    stop: "b",
  });
  expect(response.headers.get("x-curlew-usage")).toBe("estimated");
});
