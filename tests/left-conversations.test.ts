import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LedgerEntry } from "../packages/meter/ledger/index.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startCuttingRelay } from "../testing/network/cutting-relay.js";
import { runCurlew } from "../testing/programs/curlew-process.js";

const tools = [tool("weather")];
const history = "word ".repeat(40_000);
const HISTORY_TOKENS = history.length / 4;

let system: WholeSystem;
afterEach(() => system.close());

async function start(idAfterOpenCall: "new" | "same") {
  const overlay = JSON.stringify({ conversations: { idAfterOpenCall } });
  system = await startWholeSystem({}, {}, async (home) =>
    writeFileSync(join(home, "cursor.json"), overlay, { mode: 0o600 }),
  );
}

/** Sends a result after its run was lost with the gateway. Returns the upstream bytes. */
async function afterRestart(): Promise<number> {
  const question: ChatMessage = { role: "user", content: `${history} [[call weather {}]] then [[say All done.]]` };
  const first = await chat(system.url, [question], { tools });
  const another = await system.startAnother();
  const before = system.simulator.stats().bytesIn;
  const second = await chat(another, [question, first.message, result(first.calls[0], "rain")], {
    tools,
    headers: { "x-request-id": "after" },
  });
  expect(second).toMatchObject({ continuity: "resumed", text: "Result of weather: rain\nAll done." });
  return system.simulator.stats().bytesIn - before;
}

/** The output of `logs ID` for the last request. */
async function saidOf(): Promise<{ entry: LedgerEntry; why: object[] }> {
  return JSON.parse((await runCurlew(["logs", "after", "--json"], { env: { CURLEW_HOME: system.home } })).stdout);
}

async function booked(): Promise<LedgerEntry> {
  return (await saidOf()).entry;
}

describe("results of a call whose run was lost with the gateway", () => {
  it("go upstream with the whole conversation under a new id, which ledger and why report", async () => {
    await start("new");
    expect(await afterRestart()).toBeGreaterThan(history.length);
    expect(system.simulator.stats().conversations).toBe(2);
    const { sentAgainTokens } = await booked();
    expect(sentAgainTokens).toBeGreaterThan(HISTORY_TOKENS);
    expect(sentAgainTokens).toBeLessThan(1.01 * HISTORY_TOKENS);
    expect((await saidOf()).why[0]).toMatchObject({
      topic: "resumed",
      what: expect.stringContaining("The conversation (about 50,000 tokens) was resent under another id"),
    });
  });

  it("go upstream alone under the same id if the profile says that Cursor accepts it", async () => {
    await start("same");
    expect(await afterRestart()).toBeLessThan(2_048);
    expect(system.simulator.stats().conversations).toBe(1);
    expect(await booked()).toMatchObject({ sentAgainTokens: 0 });
    expect((await saidOf()).why[0]).toMatchObject({
      topic: "resumed",
      what: expect.stringContaining("Nothing was sent again"),
    });
  });
});

describe("a branch from before calls without results", () => {
  const begun: ChatMessage[] = [{ role: "user", content: "[[say One.]]" }];
  let calling: ChatMessage[];
  let results: ChatMessage[];
  beforeEach(async () => {
    system = await startWholeSystem({ refuseReusedIds: true });
    const { message } = await chat(system.url, begun, { tools });
    const called: ChatMessage[] = [...begun, message, { role: "user", content: "[[call weather {}]]" }];
    const first = await chat(system.url, called, { tools });
    calling = [...called, first.message];
    results = [result(first.calls[0], "rain")];
  });

  async function branch(url: string): Promise<void> {
    const messages: ChatMessage[] = [...calling.slice(0, 2), { role: "user", content: "[[say Three.]]" }];
    expect(await chat(url, messages, { tools })).toMatchObject({ continuity: "warm", text: "Three." });
  }

  it("continues under another id when they were given up, after a restart too", async () => {
    const given = await chat(system.url, [...calling, { role: "user", content: "[[say Two.]]" }], { tools });
    expect(given.text).toBe("Two.");
    await branch(system.url);
    await branch(await system.startAnother());
  });

  it("continues under another id when their results came after a restart", async () => {
    const another = await system.startAnother();
    const answered = await chat(another, [...calling, ...results], { tools });
    expect(answered.continuity).toBe("resumed");
    await branch(another);
  });
});

it("results of a parked run with a broken stream go upstream with the conversation, as reported", async () => {
  const relay = await startCuttingRelay();
  system = await startWholeSystem({}, { agentUrl: relay.url });
  relay.connectTo(system.simulator.url);
  relay.plan();
  const question: ChatMessage = { role: "user", content: `${history} [[call weather {}]] then [[say All done.]]` };
  const first = await chat(system.url, [question], { tools });
  relay.cutNow("reset");
  await expect.poll(() => system.simulator.stats().conversations).toBe(2);
  const headers = { "x-request-id": "after" };
  await chat(system.url, [question, first.message, result(first.calls[0], "rain")], { tools, headers });
  expect((await booked()).sentAgainTokens).toBeGreaterThan(HISTORY_TOKENS);
  expect((await saidOf()).why).toContainEqual({
    topic: "warm",
    what: expect.stringContaining("The conversation (about 50,000 tokens) was resent under another id"),
    advice: null,
  });
  await relay.close();
});
