import { describe, expect, it } from "vitest";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const few = [tool("weather")];
const more = [...few, tool("extra")];

const system = startedEach(() => startWholeSystem({ staleTools: true }));

describe("a resumed model that does not get a new tool", () => {
  it.each([
    { name: "says so", extras: {} },
    {
      name: "does not make a required call",
      extras: { tool_choice: { type: "function", function: { name: "extra" } } },
    },
  ])("$name: another conversation begins, and the tool is called", async ({ extras }) => {
    const messages = [user("[[say One.]]")];
    messages.push((await chat(system.url, messages, { tools: few })).message);
    messages.push(user("[[call extra {}]] then [[say done]]"));
    const second = await chat(system.url, messages, { tools: more, ...extras });
    expect(second.calls).toMatchObject([{ function: { name: "extra" } }]);
    expect(system.simulator.stats()).toMatchObject({ runs: 3, conversations: 2 });
    messages.push(second.message, result(second.calls[0], "found"));
    const third = await chat(system.url, messages, { tools: more });
    expect(third).toMatchObject({ continuity: "warm", text: "Result of extra: found\ndone" });
    messages.push(third.message, user("[[call extra {}]]"));
    const fourth = await chat(system.url, messages, { tools: more });
    expect(fourth).toMatchObject({ continuity: "warm", calls: [{ function: { name: "extra" } }] });
    expect(system.simulator.stats()).toMatchObject({ runs: 4, conversations: 2 });
  });

  it("says so in a tool round: the results are kept, and the tool is called", async () => {
    const messages = [user("[[call weather {}]] then [[call extra {}]] then [[say done]]")];
    const first = await chat(system.url, messages, { tools: few });
    messages.push(first.message, result(first.calls[0], "rain"));
    const second = await chat(system.url, messages, { tools: more });
    expect(second.calls).toMatchObject([{ function: { name: "extra" } }]);
    messages.push(second.message, result(second.calls[0], "found"));
    expect((await chat(system.url, messages, { tools: more })).text).toContain("done");
  });
});
