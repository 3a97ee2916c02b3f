import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../../../testing/gateway/whole-system.js";
import { newLink, openPage, type PageClient, secretIn } from "../../../testing/page/page-client.js";
import { problemOf } from "../../api/problem.js";
import { eventsOf } from "../../api/sse.js";
import { Reply } from "./reply.js";
import { type Asking, type Said, toBody } from "./request-body.js";
import { defaultTool, toChatTool } from "./tool.js";

let system: WholeSystem;
let page: PageClient;
beforeAll(async () => {
  system = await startWholeSystem();
  page = await openPage(system.url, { link: secretIn(await newLink(system.home, system.url)) });
});
afterAll(() => system.close());

const asking: Asking = { model: "composer-2.5", effort: "", system: "", tool: toChatTool(defaultTool) };
const person = (text: string): Said => ({ by: "person", message: { text, pictures: [] } });
const model = ({ text, calls }: Reply): Said => ({ by: "model", text: text.whole, calls });

async function ask(said: readonly Said[], change: Partial<Asking> = {}): Promise<Reply> {
  let nowMs = 0;
  const reply = new Reply(toBody({ ...asking, ...change }, said), () => nowMs++);
  const answer = await page.ask("/admin/api/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(reply.body),
  });
  if (answer.ok) {
    reply.begin(answer.headers);
    for await (const { data } of eventsOf(answer)) reply.take(data);
    reply.end();
  } else reply.fail(await problemOf(answer));
  return reply;
}

describe("a reply of the gateway", () => {
  it("has the text and the thinking apart, what was used, and the request's name", async () => {
    const reply = await ask([person("[[think Hm.]] [[say <b>A bird.</b>]] [[usage 900 20 700 0 5]]")]);
    expect(reply).toMatchObject({
      state: "complete",
      finish: "stop",
      problem: undefined,
      usage: { inputTokens: 900, cachedTokens: 700, outputTokens: 20 },
      facts: { model: "composer-2.5", continuity: "cold:new", requestId: expect.stringMatching(/^[\w-]{8,}$/) },
    });
    expect([reply.text.whole, reply.thinking.whole]).toEqual(["<b>A bird.</b>", "Hm."]);
    expect(reply.events.kept.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["start", "thinking", "text", "finish", "usage", "done"]),
    );
    expect(reply.events.kept[0]?.atMs).toBe(reply.firstByteMs);
    expect(reply.totalMs).toBeGreaterThan(reply.firstByteMs ?? 0);
  });

  it("has several calls at once, and goes on where it was when they are answered", async () => {
    const question = person(
      '[[say Wait.]] [[call get_weather {"city":"Lisbon"}]] [[call get_weather {"city":"Porto"}]] then [[say Both are fine.]]',
    );
    const first = await ask([question]);
    expect(first).toMatchObject({ state: "complete", finish: "tool_calls" });
    expect(first.text.whole).toBe("Wait.");
    expect(first.calls.map(({ name, arguments: json }) => [name, JSON.parse(json)])).toEqual([
      ["get_weather", { city: "Lisbon" }],
      ["get_weather", { city: "Porto" }],
    ]);
    const results = first.calls.map((call, index) => ({ call, text: `${17 - index} degrees` }));
    const said = [question, model(first), { by: "tools", results } as const];
    const second = await ask(said);
    expect(second).toMatchObject({ state: "complete", calls: [], facts: { continuity: "warm" } });
    expect(second.text.whole).toBe(
      "Result of get_weather: 17 degrees\nResult of get_weather: 16 degrees\nBoth are fine.",
    );
    const third = await ask([...said, model(second), person("[[say Bye.]]")]);
    expect(third).toMatchObject({ state: "complete", facts: { continuity: "warm" } });
  });

  it("takes an image and an effort", async () => {
    const dataUrl =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    const picture = { name: "dot.png", bytes: 70, dataUrl };
    const message = { text: "Which colour fills this picture?", pictures: [picture] };
    const reply = await ask([{ by: "person", message }], { model: "gpt-5.5", effort: "high", tool: undefined });
    expect(reply).toMatchObject({ state: "complete", body: { reasoning_effort: "high" } });
    expect(reply.facts?.warnings).toBeUndefined();
    expect(reply.text.whole).not.toBe("I see no picture.");
  });

  it("tells what is wrong with a request", async () => {
    const reply = await ask([person("hello")], { model: "no-such-model" });
    expect(reply.state).toBe("failed");
    expect(reply.problem).toMatchObject({ code: "model_not_found", message: expect.stringContaining("no-such-model") });
    expect(reply.facts?.requestId).toMatch(/^[\w-]{8,}$/);
  });

  it("tells what went wrong in the middle, and asks nobody to answer calls that never became whole", async () => {
    const reply = await ask([person("[[say Half an]] [[fail unavailable]]")]);
    expect(reply).toMatchObject({ state: "failed", calls: [] });
    expect(reply.problem?.message).toMatch(/\w+/);
    expect(reply.problem?.code).toMatch(/\w+/);
    expect(reply.text.whole).toBe("Half an");
  });
});

describe("a stream", () => {
  const streamed = (...events: string[]) => {
    const reply = new Reply(toBody(asking, [person("x")]), () => 0);
    reply.begin(new Headers());
    for (const data of events) reply.take(data);
    return reply;
  };

  it("that ends without its end has failed", () => {
    const reply = streamed('{"choices":[{"delta":{"content":"Half"}}]}');
    reply.end();
    expect(reply).toMatchObject({ state: "failed", problem: { message: expect.stringContaining("broke off") } });
  });

  it("that somebody stops keeps its text and drops its calls", () => {
    const reply = streamed(
      '{"choices":[{"delta":{"content":"Half"}}]}',
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{"}}]}}]}',
    );
    expect(reply.calls).toEqual([{ id: "a", name: "t", arguments: "{" }]);
    reply.stop();
    expect(reply).toMatchObject({ state: "stopped", calls: [], problem: undefined });
    expect(reply.text.whole).toBe("Half");
  });

  it("is read on whatever it holds", () => {
    const reply = streamed("", "{", "null", "[]", '{"choices":{}}', '{"choices":[null]}', '{"error":null}', "[DONE]");
    reply.end();
    expect(reply).toMatchObject({ state: "complete", calls: [] });
    expect(reply.events.count).toBe(8);
  });
});
