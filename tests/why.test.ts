import { describe, expect, it } from "vitest";
import type { Paragraph } from "../packages/meter/why/index.js";
import { type ChatExtras, type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { openWholeSystem, startWholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { startGatewayProcess } from "../testing/programs/gateway-process.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { startedOnce } from "../testing/started.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const LEASE_MS = 1_000;
const tools = [tool("weather", { city: { type: "string" } }), tool("time")];
const long = "word ".repeat(2_000);

const system = startedOnce(() => startWholeSystem({}, { leaseMs: LEASE_MS }));

/** Sends a request under this id. */
function send(id: string, messages: readonly ChatMessage[], { headers, ...extras }: ChatExtras = {}) {
  return chat(system.url, messages, { tools, ...extras, headers: { "x-request-id": id, ...headers } });
}

/** The explanation of a request, checked to be the same in text and JSON. */
async function why(id: string, home = system.home): Promise<readonly Paragraph[]> {
  const env = { CURLEW_HOME: home };
  const words = await runCurlew(["logs", id], { env });
  expect(words).toMatchObject({ code: 0, stderr: "" });
  const json = await runCurlew(["logs", id, "--json"], { env });
  const { why: paragraphs, entry }: { why: Paragraph[]; entry: { id: string } } = JSON.parse(json.stdout);
  expect(entry.id).toBe(id);
  const text = words.stdout.replace(/\s+/g, " ");
  for (const { what, advice } of paragraphs) {
    expect(text).toContain(what);
    if (advice !== null) expect(text).toContain(`→ ${advice}`);
  }
  return paragraphs;
}

describe("the reason for a cold or expensive turn", () => {
  it("is an edited history", async () => {
    const messages = [user("edited. [[say one]]")];
    const first = await send("edited-1", messages);
    messages.push(first.message, user(`${long}[[say two]]`));
    const second = await send("edited-2", messages);
    const edited = { ...second.message, content: "never said" };
    expect((await send("edited", [...messages, edited, user("[[say three]]")])).continuity).toBe("cold:edited");
    const [reason] = await why("edited");
    expect(reason).toMatchObject({ topic: "cold:edited", advice: expect.stringContaining("rewrites old messages") });
    expect(reason?.what).toMatch(/Of the conversation, about 2,500 tokens were sent again\.$/);
  });

  it("is an expired lease, and results that came too late", async () => {
    const question = user("late: [[call time {}]] then [[say done]]");
    const first = await send("late-before", [question]);
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(0);
    await send("late", [question, first.message, result(first.calls[0], "noon")]);
    const [reason] = await why("late");
    expect(reason).toMatchObject({ topic: "resumed", advice: expect.stringContaining("leaseMs") });
    expect(reason?.what).toMatch(
      /was given up: none came in time\. The request came [\d.]+ m?s after the model had asked for them\. A new run/,
    );
    const given = await why("late-before");
    expect(given).toContainEqual({
      topic: "abandoned",
      what: "The reply ended with 1 tool call, and the run waiting for the results was given up: none came in time.",
      advice: expect.stringContaining("leaseMs"),
    });
    expect(given.find(({ topic }) => topic === "cost")?.what).toMatch(/^The turn took about/);
  });
});

describe("the reason for an incomplete reply", () => {
  it("is a killed process", async () => {
    const home = temporaryFolder();
    const simulator = await openSimulator();
    const gateway = await startGatewayProcess(simulator.url, home);
    const headers = { "x-request-id": "killed" };
    const asked = chat(gateway.url, [user("[[wait 60000]]")], { headers }).catch(() => {});
    await expect.poll(() => simulator.stats().runsOpen).toBe(1);
    await gateway.kill();
    await asked;
    const [reason] = await why("killed", home);
    expect(reason).toMatchObject({
      topic: "interrupted",
      what: expect.stringMatching(/^The gateway process ended before this request/),
    });
  });
});

describe("a repeated request", () => {
  it("joins the first one", async () => {
    const messages = [user("joined: [[say begun]] [[wait 300]]")];
    const headers = { "idempotency-key": "once" };
    const first = send("joined-before", messages, { headers });
    await expect.poll(() => system.simulator.stats().runsOpen).toBe(1);
    await Promise.all([first, send("joined", messages, { headers })]);
    expect((await why("joined")).find(({ topic }) => topic === "joined")?.what).toBe(
      "This request repeated joined-before and joined its reply. No second run was started, and nothing is counted twice.",
    );
  });
});

describe("without an id", () => {
  it("explains the turn that sent the most again", async () => {
    const fresh = await openWholeSystem();
    const env = { CURLEW_HOME: fresh.home };
    expect(await runCurlew(["logs", "--why"], { env })).toMatchObject({
      code: 1,
      stderr: "curlew: No matching requests yet, so there is nothing to explain.\n",
    });
    const ask = (id: string, messages: ChatMessage[]) => chat(fresh.url, messages, { headers: { "x-request-id": id } });
    await ask("plain", [user("[[say one]]")]);
    await ask("foreign", [user(long), { role: "assistant", content: "I see." }, user("[[say hello]]")]);
    await ask("last", [user("[[say two]]")]);
    const { stdout } = await runCurlew(["logs", "--why"], { env });
    expect(stdout).toMatch(
      /^Of the last 3 turns, this one resent the most of its conversation: about 2,500 tokens\.\n/,
    );
    expect(stdout).toMatch(/^foreign$/m);
    expect(JSON.parse((await runCurlew(["logs", "--why", "--json"], { env })).stdout)).toMatchObject({
      entry: { id: "foreign" },
      because: expect.stringContaining("the most"),
    });
  });
});
