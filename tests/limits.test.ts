import { describe, expect, it } from "vitest";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const bash = tool("bash", { command: { type: "string" } });

describe.each([{ stream: true }, { stream: false }])("stop sequences, stream: $stream", (form) => {
  it("end the answer across delta boundaries, and end the run at once", async () => {
    const reply = await chat(system.url, [user("[[say one two three END four]] [[wait 60000]]")], {
      ...form,
      stop: ["four", "o three"],
    });
    expect(reply).toMatchObject({ text: "one tw", finish: "stop" });
    expect(reply.usage?.completion_tokens).toBeGreaterThan(0);
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runsOpen: 0, cancelled: 1 });
  });
});

describe.each([{ stream: true }, { stream: false }])("max_tokens, stream: $stream", (form) => {
  it("cuts the answer, ends the run, and is never exceeded", async () => {
    const reply = await chat(system.url, [user("[[stream 5000]] [[wait 60000]]")], { ...form, max_tokens: 20 });
    expect(reply.finish).toBe("length");
    expect(reply.text).toHaveLength(100);
    expect(reply.usage?.completion_tokens).toBeLessThanOrEqual(20);
    expect(reply.usage?.prompt_tokens).toBeGreaterThan(0);
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runsOpen: 0, cancelled: 1 });
  });

  it("completes a call that has begun, and keeps its run", async () => {
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
  ])("continues from the checkpoint before it, with the text that the client read: %j", async ({ text, ...limit }) => {
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

  it("starts from the transcript when the very first answer was cut", async () => {
    const messages = [user("[[say one two three]]")];
    messages.push((await chat(system.url, messages, { stop: "two" })).message, user("[[say next]]"));
    expect(await chat(system.url, messages)).toMatchObject({ text: "next", finish: "stop" });
  });
});
