import { afterEach, describe, expect, it } from "vitest";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { rowsOnDisk } from "../testing/store/on-disk.js";

const tools = [tool("weather", { city: { type: "string" } }), tool("time")];
const checkpointsOnDisk = () => rowsOnDisk(system.home);
/** Large enough to show in the byte counts if sent again. */
const filler = "filler ".repeat(10_000);
/** The checkpoint comes some time after the calls. */
const lateQuestion = user(`${filler} [[delay-checkpoint 600]] [[call weather {"city":"Kiel"}]] then [[say All done.]]`);

let system: WholeSystem;
afterEach(async () => {
  await system.close();
});

/** Bytes sent without blobs, which Cursor requests again when the id changes. */
const ownBytes = () => system.simulator.stats().bytesIn - system.simulator.stats().blobBytesIn;

describe("a checkpoint that comes after the reply with its calls", () => {
  it("is kept for a run whose lease expires later", async () => {
    system = await startWholeSystem({}, { leaseMs: 2_000 });
    const first = await chat(system.url, [lateQuestion], { tools });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    const before = ownBytes();
    const second = await chat(system.url, [lateQuestion, first.message, result(first.calls[0], "rain")], { tools });
    expect(second).toMatchObject({ continuity: "resumed", finish: "stop", calls: [] });
    expect(second.text).toBe("Result of weather: rain\nAll done.");
    expect(system.simulator.stats()).toMatchObject({ runs: 2, resumes: 1 });
    expect(ownBytes() - before).toBeLessThan(4_096);
  });

  it("does not disturb the parked run", async () => {
    system = await startWholeSystem();
    const first = await chat(system.url, [lateQuestion], { tools });
    await expect.poll(checkpointsOnDisk).toBe(2); // also the one before the calls
    const answered = [lateQuestion, first.message, result(first.calls[0], "rain")];
    const second = await chat(system.url, answered, { tools });
    expect(second).toMatchObject({ continuity: "warm", text: "Result of weather: rain\nAll done." });
    expect(system.simulator.stats()).toMatchObject({ runs: 1, resumes: 0 });
  });
});

describe("calls whose checkpoint never came", () => {
  const never = "[[delay-checkpoint 60000]]";

  it.each([
    { name: "first", words: `${never} [[say Looking.]] [[call time {}]] then [[say All done.]]`, rounds: 0 },
    { name: "second", words: `[[call time {}]] ${never} then [[call weather {}]] then [[say All done.]]`, rounds: 1 },
  ])("in the $name round: their results continue from the state before them", async ({ words, rounds }) => {
    system = await startWholeSystem();
    const messages = [user(`${filler} ${words}`)];
    let reply = await chat(system.url, messages, { tools });
    for (let round = 0; round < rounds; round++) {
      messages.push(reply.message, result(reply.calls[0], "noon"));
      reply = await chat(system.url, messages, { tools });
    }
    messages.push(reply.message, result(reply.calls[0], "rain"));
    const before = ownBytes();
    const another = await system.startAnother();
    const last = await chat(another, messages, { tools });
    expect(last).toMatchObject({ continuity: "resumed", finish: "stop", calls: [] });
    expect(last.text).toBe(`Result of ${reply.calls[0]?.function.name}: rain\nAll done.`);
    expect(ownBytes() - before).toBeLessThan(4_096);
    expect(system.simulator.stats()).toMatchObject({ conversations: 2, runs: 2 });
    const next = await chat(another, [...messages, last.message, user("[[say next]]")], { tools });
    expect(next).toMatchObject({ continuity: "warm", text: "next" });
  });
});

describe("results whose run is gone, without a checkpoint of their calls", () => {
  const question = user(
    '[[delay-checkpoint 60000]] [[call weather {"city":"Kiel"}]] [[call time {}]] then [[say All done.]]',
  );
  const prompt = (content: string): ChatMessage => ({ role: "system", content });

  it.each([
    { name: "all of them", system: "A", asked: question, count: 2, continuity: "resumed" },
    { name: "some of them", system: "A", asked: question, count: 1, continuity: "resumed" },
    { name: "under another system prompt", system: "B", asked: question, count: 2, continuity: "resumed" },
    { name: "in an edited history", system: "A", asked: user("[[say Edited.]]"), count: 2, continuity: "cold:edited" },
  ])("report their continuity after a restart: $name", async ({ system: other, asked, count, continuity }) => {
    system = await startWholeSystem();
    const first = await chat(system.url, [prompt("A"), question], { tools });
    const results = first.calls.slice(0, count).map((call) => result(call, "rain"));
    const reply = await chat(await system.startAnother(), [prompt(other), asked, first.message, ...results], { tools });
    expect(reply.continuity).toBe(continuity);
  });
});
