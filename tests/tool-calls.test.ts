import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

let system: WholeSystem;
afterEach(async () => {
  await system.close();
});

const tools = [tool("weather", { city: { type: "string" } }), tool("time"), tool("add", { a: { type: "integer" } })];

describe.each([
  { name: "streamed", stream: true, transport: "h2" },
  { name: "whole", stream: false, transport: "h2" },
  { name: "streamed", stream: true, transport: "h1" },
] as const)("tool calls in $name replies, over $transport", ({ stream, transport }) => {
  beforeEach(async () => {
    system = await startWholeSystem({ transport });
  });

  it("go to the client, and their results continue the same run", async () => {
    const messages = [user('[[think hm]] [[say Looking.]] [[call weather {"city":"Kiel"}]] then [[say Done.]]')];
    const first = await chat(system.url, messages, { tools, stream });
    expect(first).toMatchObject({ text: "Looking.", finish: "tool_calls", continuity: "cold:new" });
    expect(first.calls).toMatchObject([{ function: { name: "weather", arguments: '{"city":"Kiel"}' } }]);
    expect(first.calls[0]?.id).toMatch(/^call_[a-z2-7]{20}$/);
    messages.push(first.message, result(first.calls[0], "rain, 8 degrees"));
    const second = await chat(system.url, messages, { tools, stream });
    expect(second).toMatchObject({ finish: "stop", continuity: "warm" });
    expect(second.text).toContain("rain, 8 degrees");
    expect(second.text).toContain("Done.");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAnswered: 2, execsAbandoned: 0, runsOpen: 0 });
  });

  it("may have spaces in the name, and escaped arguments", async () => {
    const named = [tool("look around", { at: { type: "string" } })];
    const reply = await chat(system.url, [user('[[call \\"look around\\" {\\"at\\":\\"the lake\\"}]]')], {
      tools: named,
      stream,
    });
    expect(reply.calls).toMatchObject([{ function: { name: "look around", arguments: '{"at":"the lake"}' } }]);
  });

  it("of one group reach the client in one reply, and accept results in any order", async () => {
    const group = Array.from({ length: 8 }, (_, index) => `[[call add {"a":${index}}]]`).join(" ");
    const messages = [user(`${group} then [[say All in.]]`)];
    const first = await chat(system.url, messages, { tools, stream });
    expect(first.calls.map((call) => JSON.parse(call.function.arguments).a)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(first.calls.map(({ id }) => id)).size).toBe(8);
    const results = first.calls.map((call, index) => result(call, `result ${index}`)).reverse();
    const second = await chat(system.url, [...messages, first.message, ...results], { tools, stream });
    for (let index = 0; index < 8; index++) expect(second.text).toContain(`result ${index}`);
    expect(second.text).toContain("All in.");
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("stream their arguments as upstream does, each call complete before the next", async () => {
    const args = { city: 'A "quoted" place, ünïcode and \\ more'.repeat(5) };
    const messages = [
      user(`[[partial]] [[call weather ${JSON.stringify(args)}]] [[call add {"a":7}]] then [[say ok]]`),
    ];
    const first = await chat(system.url, messages, { tools, stream });
    expect(first.calls.map((call) => JSON.parse(call.function.arguments))).toEqual([args, { a: 7 }]);
  });

  it("print whole numbers as whole numbers", async () => {
    const { calls } = await chat(system.url, [user('[[call add {"a":42,"b":0.5,"c":-1,"d":1e21}]]')], {
      tools,
      stream,
    });
    expect(calls[0]?.function.arguments).toBe('{"a":42,"b":0.5,"c":-1,"d":1e+21}');
  });

  it("may be answered in parts: the client gets only the missing ones, with the same ids", async () => {
    const messages = [
      user('[[call weather {"city":"a"}]] [[call time {}]] [[call add {"a":1}]] then [[say Complete.]]'),
    ];
    const first = await chat(system.url, messages, { tools, stream });
    const [a, b, c] = first.calls;
    messages.push(first.message, result(b, "noon"));
    const second = await chat(system.url, messages, { tools, stream });
    expect(second).toMatchObject({ finish: "tool_calls", continuity: "warm" });
    expect(second.calls.map(({ id }) => id)).toEqual([a?.id, c?.id]);
    messages.push(result(a, "sun"), result(c, "2"));
    const third = await chat(system.url, messages, { tools, stream });
    expect(third.text).toContain("Complete.");
    expect(third.continuity).toBe("warm");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });
});

it("3, 8 and 20 calls that come over two seconds are in one reply each, which their count ends", async () => {
  system = await startWholeSystem({ callCounts: true }, { namedCallMs: 60_000 });
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => index);
  const groups = [3, 8, 20].map(numbered);
  const replies = groups.map((group) => {
    const asked = group.map((a) => `[[call add {"a":${a}}]]`).join(` [[gap ${Math.round(2_000 / group.length)}]] `);
    // No checkpoint names them before their results are in.
    return chat(system.url, [user(`[[delay-checkpoint 600000]] ${asked} then [[say Done.]]`)], { tools });
  });
  const added = (await Promise.all(replies)).map(({ calls }) =>
    calls.map((call) => JSON.parse(call.function.arguments).a),
  );
  expect(added).toEqual(groups);
});

describe("a user turn", () => {
  it.each([
    { size: "10 KiB", bytes: 10 * 1024, transport: "h2" },
    { size: "1 MiB", bytes: 1024 * 1024, transport: "h2" },
    { size: "1 MiB", bytes: 1024 * 1024, transport: "h1" },
  ] as const)(
    "of 20 tool rounds opens one run, and a round costs its result and little more, behind $size of history, over $transport",
    async ({ bytes, transport }) => {
      system = await startWholeSystem({ transport });
      const filler = "lorem ipsum ".repeat(bytes / 24);
      const messages = [
        user(filler),
        { role: "assistant" as const, content: filler },
        user(
          `${Array.from({ length: 20 }, (_, index) => `[[call add {"a":${index}}]]`).join(" then ")} then [[say Finished.]]`,
        ),
      ] as ChatMessage[];
      let reply = await chat(system.url, messages, { tools });
      for (let round = 0; round < 20; round++) {
        expect(reply.calls).toHaveLength(1);
        const before = system.simulator.stats().bytesIn;
        const said = `result of round ${round} `.repeat(50);
        messages.push(reply.message, result(reply.calls[0], said));
        reply = await chat(system.url, messages, { tools });
        expect(system.simulator.stats().bytesIn - before).toBeLessThan(said.length + 1024);
      }
      expect(reply.text).toContain("Finished.");
      expect(system.simulator.stats().runs).toBe(1);
    },
  );
});
