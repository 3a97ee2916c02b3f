import { describe, expect, it } from "vitest";
import { type ChatExtras, type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";
import { startedEach } from "../testing/started.js";

const MAX = 4;
const system = startedEach(() => startWholeSystem({}, { maxParkedRuns: MAX }));

const answer = tool("answer");
const other = tool("other");
const byName: ChatExtras = { tools: [answer, other], tool_choice: { type: "function", function: { name: "answer" } } };
const required: ChatExtras = { tools: [answer], tool_choice: "required" };
const free: ChatExtras = { tools: [answer, other] };

/** Parks a run. Returns a function that sends its result. */
async function call(subject: string, extras: ChatExtras) {
  const messages: ChatMessage[] = [
    { role: "user", content: `${subject} [[call answer {}]] then [[say ${subject} done]]` },
  ];
  const { message, calls, finish } = await chat(system.url, messages, extras);
  expect(finish).toBe("tool_calls");
  return () => chat(system.url, [...messages, message, result(calls[0], "ok")], extras);
}

async function health(): Promise<{ parkedRuns: number; runsLetGo: number }> {
  const response = await fetch(`${system.url}/health`);
  const { conversations } = (await response.json()) as { conversations: { parkedRuns: number; runsLetGo: number } };
  return conversations;
}

describe("clients that never send a result", () => {
  it("leave at most maxParkedRuns open, here and at Cursor", async () => {
    for (let count = 0; count < 3 * MAX; count++) await call(`question ${count}`, byName);
    expect(await health()).toMatchObject({ parkedRuns: MAX, runsLetGo: 2 * MAX });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(MAX);
  });

  it.each([
    ["named", byName],
    ["the only one and required", required],
  ])("do not evict runs of others when their tool is %s", async (_, forced) => {
    const comeBack = await call("worth it", free);
    for (let count = 0; count < 2 * MAX; count++) await call(`question ${count}`, forced);
    expect(await comeBack()).toMatchObject({
      continuity: "warm",
      finish: "stop",
      text: expect.stringContaining("done"),
    });
  });
});

it("a result for an evicted run is still answered", async () => {
  const late = await call("first", free);
  for (let count = 0; count < MAX; count++) await call(`question ${count}`, free);
  expect(await health()).toMatchObject({ parkedRuns: MAX, runsLetGo: 1 });
  const resumes = system.simulator.stats().resumes;
  expect(await late()).toMatchObject({
    continuity: "resumed",
    finish: "stop",
    text: expect.stringContaining("done"),
  });
  expect(system.simulator.stats().resumes).toBe(resumes + 1); // resumed from the state, not resent
});
