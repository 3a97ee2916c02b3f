import { describe, expect, it } from "vitest";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const system = startedEach(() => startWholeSystem());

const tools = [tool("a"), tool("b")];

describe.each([
  { name: "keeps the repeated calls", keepsTelling: true },
  { name: "continues with its own message", keepsTelling: false },
])("a client that sends some of the results after its run is gone, and $name", ({ keepsTelling }) => {
  it("gets the missing calls with the same ids, and completes the turn with their results", async () => {
    const messages: ChatMessage[] = [{ role: "user", content: "[[call a {}]] [[call b {}]] then [[say done]]" }];
    const first = await chat(system.url, messages, { tools });
    const [a, b] = first.calls.map((call) => ({ ...call, id: call.id.replace("call_", "other_") }));
    messages.push({ ...first.message, tool_calls: [a, b].flatMap((call) => call ?? []) }, result(a, "one"));
    const second = await chat(system.url, messages, { tools });
    expect(second).toMatchObject({ continuity: "cold:unknown-call", finish: "tool_calls", text: "", calls: [b] });
    expect(system.simulator.stats().runs).toBe(1);
    messages.push(...(keepsTelling ? [second.message] : []), result(b, "two"));
    const third = await chat(system.url, messages, { tools });
    expect(third).toMatchObject({ text: "Result of a: one\nResult of b: two\ndone", calls: [] });
    expect(system.simulator.stats().runs).toBe(2);
  });
});
