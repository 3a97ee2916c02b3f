import { afterEach, describe, expect, it } from "vitest";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { type LimitInUse, type Limits, writeLimits } from "../packages/meter/spend/index.js";
import type { HealthState, NowAnswer, Trouble } from "../packages/page/access/contract.js";
import { postJson } from "../testing/clients/post-json.js";
import { type ChatMessage, chat, result, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { newLink, openPage, secretIn } from "../testing/page/page-client.js";
import { runCurlew } from "../testing/programs/curlew-process.js";

let system: WholeSystem;
afterEach(() => system.close());

const setLimits = (limits: Limits) => writeLimits(limitsFile({ home: system.home }), limits);

async function ask(content: string, model = "auto"): Promise<number> {
  const messages = [{ role: "user", content }];
  return (await postJson(`${system.url}/v1/chat/completions`, { model, messages })).status;
}

/** Plays one turn with many tool rounds. */
async function askWithTools(rounds: number): Promise<void> {
  const calls = Array.from({ length: rounds }, (_, index) => `[[call add {"a":${index}}]]`);
  const messages: ChatMessage[] = [{ role: "user", content: [...calls, "[[say done]]"].join(" then ") }];
  for (;;) {
    const answer = await chat(system.url, messages, { tools: [tool("add")] });
    if (answer.calls.length === 0) return;
    messages.push(answer.message, ...answer.calls.map((call) => result(call, `${messages.length}`)));
  }
}

async function health(): Promise<HealthState> {
  const page = await openPage(system.url, { link: secretIn(await newLink(system.home, system.url)) });
  const now: NowAnswer = JSON.parse(await (await page.ask("/admin/api/now")).text());
  return now.health;
}

/** Runs a command on the gateway's home. Returns its output. */
async function run(...args: string[]): Promise<string> {
  const { home, simulator, url } = system;
  const upstream = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_whole_system" };
  const env = { CURLEW_HOME: home, PORT: new URL(url).port, ...upstream };
  return (await runCurlew(args, { env })).stdout;
}

/** Checks that the page, `status` and `doctor` agree. */
async function expectEverywhere(expected: Record<keyof Trouble, unknown>): Promise<void> {
  const [trouble, ...others] = (await health()).troubles;
  expect(trouble).toEqual(expected);
  expect(others).toEqual([]);
  const { what = "", advice = "", command = "" } = trouble ?? {};
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}. ${advice}`.trim();
  const status = await run("status");
  expect(status).toContain(sentence);
  expect(status).not.toContain("Everything is ready");
  expect(status.trimEnd()).toMatch(new RegExp(`: ${command ?? "curlew doctor"}$`));
  const { findings } = JSON.parse(await run("doctor", "--json"));
  expect(findings).toContainEqual({ check: "turns", status: "warn", why: sentence, fix: command });
}

describe("a limit of the owner's", () => {
  it("is reported from 90 % on, and as fatal when reached, with its reset and a command", async () => {
    system = await startWholeSystem();
    setLimits({ day: { requests: 10 } });
    for (let turn = 1; turn <= 8; turn++) expect(await ask(`${turn} [[say yes]]`)).toBe(200);
    expect((await health()).troubles).toEqual([]);
    expect(await ask("9 [[say yes]]")).toBe(200);
    const told = {
      advice: expect.stringMatching(/^It resets at \d{4}-\d\d-\d\d 00:00\.$/),
      command: "curlew limits set day.requests 20",
    };
    expect((await health()).troubles).toEqual([
      { ...told, what: "the limit day.requests is near: 9 of 10 requests used", isFatal: false },
    ]);
    expect(await ask("10 [[say yes]]")).toBe(200);
    for (let turn = 11; turn <= 14; turn++) expect(await ask(`${turn} [[say yes]]`)).toBe(429);
    await expectEverywhere({
      ...told,
      what: "the limit day.requests is reached: 10 of 10 requests used",
      isFatal: true,
    });
    setLimits({ day: { requests: 100 } });
    expect((await health()).troubles).toEqual([]);
  });

  it("counts a turn that still waits for results", async () => {
    system = await startWholeSystem();
    setLimits({ day: { tokens: 2_000 } });
    const content = `${"word ".repeat(2_000)}[[call add {"a":1}]] then [[say done]]`;
    await chat(system.url, [{ role: "user", content }], { tools: [tool("add")] });
    expect(await ask("[[say yes]]")).toBe(429);
    await expectEverywhere({
      what: expect.stringMatching(/^the limit day\.tokens is reached: 2,\d{3} of 2,000 tokens used$/),
      isFatal: true,
      advice: expect.stringContaining("It resets at"),
      command: expect.stringContaining("curlew limits set day.tokens"),
    });
    const { throughCurlew } = JSON.parse(await run("usage", "--local", "--json"));
    expect(throughCurlew.total.inputTokens).toBeGreaterThan(2_000);
    const { limits }: { limits: LimitInUse[] } = JSON.parse(await run("limits", "--json"));
    expect(limits.find(({ name }) => name === "day.tokens")?.used).toBeGreaterThan(2_000);
  });
});

describe("turns that fail", () => {
  const fail = (what: string) => ask(`${what} [[fail resource_exhausted OUTDATED_CLIENT]]`);

  it("are reported when three had the same cause, although the newest turn succeeded", async () => {
    system = await startWholeSystem();
    for (let turn = 0; turn < 2; turn++) expect(await fail(`first ${turn}`)).toBe(502);
    expect(await ask("[[say yes]]")).toBe(200);
    expect((await health()).troubles).toEqual([]);
    expect(await fail("third")).toBe(502);
    for (let turn = 0; turn < 3; turn++) expect(await ask(`${turn} [[say yes]]`)).toBe(200);
    await expectEverywhere({
      what: "3 of the last 7 turns failed",
      isFatal: true,
      advice: expect.stringContaining("Cursor wants a newer client version"),
      command: null,
    });
  });

  it("count per turn, however many tool rounds the good ones have", async () => {
    system = await startWholeSystem();
    for (let turn = 0; turn < 3; turn++) expect(await fail(`${turn}`)).toBe(502);
    for (let turn = 0; turn < 4; turn++) await askWithTools(60);
    expect((await health()).troubles).toMatchObject([{ what: "3 of the last 7 turns failed" }]);
  });

  it("are not reported when each had another cause", async () => {
    system = await startWholeSystem();
    for (const cause of ["resource_exhausted OUTDATED_CLIENT", "permission_denied", "invalid_argument"])
      expect(await ask(`[[fail ${cause}]]`)).toBeGreaterThan(399);
    expect((await health()).troubles).toEqual([]);
  });

  it("are not reported for client errors", async () => {
    system = await startWholeSystem();
    for (let turn = 0; turn < 4; turn++) expect(await ask(`${turn} [[say yes]]`, "no-such-model")).toBe(404);
    const headers = { "content-type": "application/json" };
    for (let turn = 0; turn < 4; turn++)
      await fetch(`${system.url}/v1/chat/completions`, { method: "POST", headers, body: "{" });
    expect((await health()).troubles).toEqual([]);
    expect(await run("status")).not.toContain("failed");
  });

  it("are reported at once when the plan is used up", async () => {
    system = await startWholeSystem();
    expect(await ask("[[fail resource_exhausted PRO_USER_USAGE_LIMIT]]")).toBe(429);
    await expectEverywhere({
      what: "your plan is used up for auto",
      isFatal: true,
      advice: expect.stringMatching(/resets? /),
      command: "curlew usage",
    });
    expect(await ask("[[say again]]", "gpt-5.5")).toBe(200);
    expect((await health()).troubles).toMatchObject([{ what: "your plan is used up for auto", isFatal: false }]);
    expect(await ask("[[say again]]")).toBe(200);
    expect((await health()).troubles).toEqual([]);
  });
});

it("a bad login from a variable needs more than signing in", async () => {
  system = await startWholeSystem({}, { apiKey: "crsr_bad_key" });
  for (let turn = 0; turn < 3; turn++) expect(await ask(`${turn} [[say yes]]`)).toBe(401);
  const { auth, signIn, troubles } = await health();
  expect([auth, signIn]).toEqual(["refused", "unset CURSOR_API_KEY && curlew login"]);
  expect(troubles[0]?.command).toBe(signIn);
});
