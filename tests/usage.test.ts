import { describe, expect, it } from "vitest";
import { type ChatExtras, type ChatMessage, result, chat as send, tool, user } from "../testing/clients/tool-client.js";
import { openWholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew } from "../testing/programs/curlew-process.js";
import { curlewOnTerminal, hasScript } from "../testing/programs/on-terminal.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";

const chat = (url: string, messages: readonly ChatMessage[], extras: ChatExtras = {}) =>
  send(url, messages, { model: "composer", ...extras });

describe("the ledger", () => {
  it("counts each turn once, by Cursor's own figures, and outlives the gateway", async () => {
    const { url, simulator, home } = await openWholeSystem();
    const first = [user("[[say one]]")];
    const { message } = await chat(url, first);
    await chat(url, [...first, message, user("[[say two]]")]);
    const tools = [tool("look")];
    const asked = [user("use the look tool")];
    const called = await chat(url, asked, { tools });
    await chat(url, [...asked, called.message, result(called.calls[0], "nothing")], { tools });

    const { runs, inputTokens, cacheReadTokens } = simulator.stats();
    const env = { CURLEW_HOME: home, CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_whole_system" };
    const { throughCurlew } = await usageJson(env);
    expect(runs).toBe(3);
    expect(throughCurlew.entries).toMatchObject([
      {
        model: "composer-2.5",
        messages: 3,
        turns: 3,
        estimatedTurns: 0,
        inputTokens,
        cacheReadTokens,
        savedTokens: cacheReadTokens,
        warmTurns: 1,
        coldTurns: 2,
        warmShare: 1 / 3,
        requests: 4,
        runs: 3,
        runsPerMessage: 1,
        failures: 0,
        cost: { dollars: expect.any(Number), unpricedModels: [] },
      },
    ]);

    const { code, stdout } = await runCurlew(["usage", "--days", "1"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^plan +Pro, \$20\/mo$/m);
    expect(stdout).toMatch(
      /^\d{4}-\d\d-\d\d +composer-2\.5 +3 +1\.00 +[\d,]+ +\d+% +\d+ +\d+ +\d+ +33% +\$0\.\d{2,5}$/m,
    );
    expect(stdout).toMatch(/^total +3 /m);
    expect(stdout).toContain("\n3 runs for 3 messages.\n");
    expect(stdout).toContain(`The cache saved ${cacheReadTokens.toLocaleString("en")} tokens of input.`);
    const byClient = await runCurlew(["usage", "--local", "--by", "client"], { env: { CURLEW_HOME: home } });
    expect({ ...byClient, stdout: byClient.stdout.replace(/ +/g, " ") }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^node 3 /m),
    });

    const served = await (await fetch(`${url}/v1/usage?by=model`)).json();
    expect(served).toMatchObject({
      data: [{ model: "composer-2.5", turns: 3, input_tokens: inputTokens, saved_tokens: cacheReadTokens }],
      plan: { percent_used: 31 },
      plan_problem: null,
    });
  });

  async function usageJson(env: Record<string, string>) {
    return JSON.parse((await runCurlew(["usage", "--json"], { env })).stdout);
  }
});

describe("a message", () => {
  it("is what a person typed: not the results of a run that is gone, although they take another run", async () => {
    const system = await openWholeSystem();
    const { home } = system;
    const local = async () =>
      JSON.parse((await runCurlew(["usage", "--local", "--json"], { env: { CURLEW_HOME: home } })).stdout)
        .throughCurlew;
    const tools = [tool("look")];
    const asked = [user("[[call look {}]] then [[say done]]")];
    const { message, calls } = await chat(system.url, asked, { tools });
    const answered = [...asked, message, result(calls[0], "nothing")];
    await system.closeGateways();
    const url = await system.startAnother();
    await chat(url, answered, { tools });
    expect((await local()).total).toMatchObject({ requests: 2, messages: 1, runs: 2, runsPerMessage: 2 });
    const typed = [...asked, message, result(calls[0], "nothing"), user("[[say more]]")];
    await chat(url, typed, { tools });
    expect((await local()).total).toMatchObject({ requests: 3, messages: 2, runs: 3, runsPerMessage: 1.5 });
  });

  it("is not what a client sends by itself, which is counted apart and marked", async () => {
    const { url, home } = await openWholeSystem();
    const run = (...args: string[]) => runCurlew(args, { env: { CURLEW_HOME: home } });
    const first = [user("[[say one]]")];
    const { message } = await chat(url, first);
    const suggestion = user("[SUGGESTION MODE: Suggest what the user might naturally type next.]");
    await chat(url, [...first, message, suggestion]);
    const { total } = JSON.parse((await run("usage", "--local", "--json")).stdout).throughCurlew;
    expect(total).toMatchObject({ messages: 1, runs: 2, runsPerMessage: 2, sideRuns: { suggestion: 1, title: 0 } });
    expect((await run("usage", "--local")).stdout).toContain(
      "2 runs for 1 message, 1 of them for side requests (suggestion 1).",
    );
    expect((await run("logs")).stdout).toMatch(/ warm \(suggestion\) /);
  });
});

describe("a turn that was stopped", () => {
  it("is estimated to have read from the cache what it resumed from, and is not the one that is explained", async () => {
    const { url, home } = await openWholeSystem();
    const first = [user(`[[say one]] ${"Many words. ".repeat(2_000)}`)];
    const { message } = await chat(url, first);
    const leaving = new AbortController();
    const body = {
      model: "composer",
      stream: true,
      messages: [...first, message, user("[[say two]] [[wait 3600000]]")],
    };
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal };
    const reader = (await fetch(`${url}/v1/chat/completions`, request)).body?.getReader();
    await reader?.read();
    leaving.abort();
    const logs = (...args: string[]) => runCurlew(["logs", "--json", ...args], { env: { CURLEW_HOME: home } });
    const entries = async () =>
      (await logs()).stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    await expect.poll(async () => (await entries()).length).toBe(2);
    const [whole, stopped] = await entries();
    expect(stopped).toMatchObject({ outcome: "client-left", continuity: "warm", tokens: { estimated: true } });
    const { input, cacheRead } = stopped.tokens;
    expect(cacheRead / input).toBeGreaterThan(0.95);
    expect(cacheRead).toBeLessThan(input);
    expect(JSON.parse((await logs("--why")).stdout)).toMatchObject({ entry: { id: whole.id } });
  });
});

describe("a client", () => {
  const ask = (url: string, agent: string, key: string) =>
    chat(url, [user("[[say one]]")], { headers: { "user-agent": agent, authorization: `Bearer ${key}` } });

  it.each<[name: string, ...requests: [agent: string, key: string][]]>([
    ["opencode", ["opencode/1.4.2 ai-sdk/4", "anything"], ["opencode/1.18.33", "curlew-opencode"]],
    ["codex", ["codex_cli_rs/0.60.0 (Debian)", "anything"], ["codex-tui/0.166.0", "curlew-codex"]],
    ["cline", ["ai-sdk/openai-compatible/1.0.19", "curlew-cline"], ["Cline/3.0.65", "anything"]],
    ["continue", ["ls/JS 5.10.1", "curlew-continue"], ["ls/JS 6.0.0", "curlew-continue"]],
    ["my-script", ["OpenAI/JS 6.1.0", "curlew-my-script"], ["OpenAI/Python 2.1.0", "curlew-my-script"]],
  ])("is one row, whatever its version: %s", async (name, ...requests) => {
    const { url, home } = await openWholeSystem();
    for (const [agent, key] of requests) await ask(url, agent, key);
    const run = (...args: string[]) => runCurlew(args, { env: { CURLEW_HOME: home } });
    const { stdout } = await run("usage", "--local", "--by", "client", "--json");
    expect(JSON.parse(stdout).throughCurlew.entries).toMatchObject([{ client: name, requests: 2 }]);
    expect((await run("logs", "--client", name, "--json")).stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  it("is not named by a key that the gateway asks for", async () => {
    const key = "curlew-cline-for-me";
    const { url, home } = await openWholeSystem({}, { key });
    await ask(url, "opencode/1.4.2", key);
    const { stdout } = await runCurlew(["usage", "--local", "--by", "client"], { env: { CURLEW_HOME: home } });
    expect(stdout).toMatch(/^opencode +1 /m);
    expect(stdout).not.toContain("cline");
  });
});

describe("named keys", () => {
  it("are separate clients in the owner's view, and can be forgotten separately", async () => {
    const owner = { authorization: "Bearer the-single-key-0123" };
    const { url, home } = await openWholeSystem({}, { key: "the-single-key-0123" });
    const env = { CURLEW_HOME: home };
    const addKey = async (name: string) => {
      const { stdout } = await runCurlew(["keys", "add", name, "--json"], { env });
      return { authorization: `Bearer ${JSON.parse(stdout).key}` };
    };
    const ci = await addKey("ci");
    const laptop = await addKey("laptop");
    await chat(url, [user("[[say one]]")], { headers: ci });
    await chat(url, [user("[[say two]]")], { headers: laptop });
    const clients = async () => {
      const response = await fetch(`${url}/v1/usage?by=client`, { headers: owner });
      const { data } = (await response.json()) as { data: { client: string; turns: number }[] };
      return data.map(({ client, turns }) => [client, turns]).sort();
    };
    expect((await fetch(`${url}/v1/usage`)).status).toBe(401);
    expect(await clients()).toEqual([
      ["ci", 1],
      ["laptop", 1],
    ]);
    expect(await runCurlew(["usage", "--forget", "--key", "ci", "--yes"], { env })).toMatchObject({ code: 0 });
    await expect.poll(clients).toEqual([["laptop", 1]]);
  });
});

describe("usage that the owner deletes", () => {
  async function setUp() {
    const { url, home } = await openWholeSystem();
    await chat(url, [user("[[say one]]")]);
    const run = (...args: string[]) => runCurlew(["usage", ...args], { env: { CURLEW_HOME: home } });
    const turns = async () => JSON.parse((await run("--local", "--json")).stdout).throughCurlew.total.turns;
    return { url, run, turns, home };
  }
  const day = () => new Date().toLocaleDateString("sv");

  it("is deleted while the gateway runs, and later usage is counted", async () => {
    const { url, run, turns } = await setUp();
    expect(await turns()).toBe(1);
    expect(await run("--forget", "--yes")).toMatchObject({ code: 0, stdout: `Forgot 1 request, on ${day()}.\n` });
    expect(await turns()).toBe(0);
    expect(await (await fetch(`${url}/v1/usage`)).json()).toMatchObject({ total: { turns: 0 } });
    expect(await run("--forget", "--yes")).toMatchObject({ code: 0, stdout: "There is nothing to forget.\n" });
    await chat(url, [user("[[say two]]")]);
    expect(await turns()).toBe(1);
  });

  it("can be limited to older requests, or to one client", async () => {
    const { run, turns } = await setUp();
    const nothing = { forgotten: { requests: 0, turns: 0, before: day(), key: null } };
    expect(JSON.parse((await run("--forget", "--before", day(), "--yes", "--json")).stdout)).toEqual(nothing);
    expect(await run("--forget", "--key", "ci", "--yes")).toMatchObject({ stdout: "There is nothing to forget.\n" });
    expect(await turns()).toBe(1);
    expect(await run("--forget", "--key", "node", "--yes")).toMatchObject({
      stdout: `Forgot 1 request of node, on ${day()}.\n`,
    });
    expect(await turns()).toBe(0);
  });

  it("is not deleted without confirmation", async () => {
    const { run, turns } = await setUp();
    expect(await run("--forget")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `curlew: Nothing was forgotten. To forget 1 request, on ${day()}, without the question, add --yes.\n`,
    });
    expect(await turns()).toBe(1);
  });

  it.skipIf(!hasScript)("needs confirmation on a terminal", async () => {
    const { run, turns, home } = await setUp();
    expect(await answerOnTerminal(home, "n")).toContain("Nothing was forgotten.");
    expect(await turns()).toBe(1);
    expect(await answerOnTerminal(home, "y")).toContain(`Forgot 1 request, on ${day()}.`);
    expect(await turns()).toBe(0);
    expect(await run("--forget")).toMatchObject({ code: 0, stdout: "There is nothing to forget.\n" });
  });

  async function answerOnTerminal(home: string, key: "y" | "n"): Promise<string> {
    const person = curlewOnTerminal(["usage", "--forget"], { CURLEW_HOME: home });
    await person.until("This cannot be undone.");
    person.press(key);
    await person.ended;
    return person.shown();
  }

  it.each([
    [["--forget", "--before", "2026-13-01"], '--before must be a day such as 2026-11-01, not "2026-13-01".'],
    [["--before", "2026-11-01"], "--before is only for --forget."],
    [["--by", "week"], '--by must be one of day, model, client, hour, not "week".'],
    [["--by", "hour", "--days", "32"], '--days must be a whole number from 1 to 31, not "32".'],
  ])("needs valid options: %j", async (args, message) => {
    const { code, stderr } = await runCurlew(["usage", ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe("usage reported by Cursor", () => {
  it.each([
    ["full", { percentUsed: 31, autoPercentUsed: 18.5, apiPercentUsed: 43.5, spentCents: 1_240, includedCents: 2_000 }],
    ["no-plan", { plan: "Pro", percentUsed: null, spentCents: 12.5, includedCents: null }],
  ] as const)("is read in the shape %s", async (usage, account) => {
    const simulator = await openSimulator({ usage });
    const env = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_usage" };
    const { code, stdout } = await runCurlew(["usage", "--json"], { env });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, account, problem: null });
  });

  it("is printed as text", async () => {
    const { stdout } = await runCurlew(["usage", "--backend", "simulator"]);
    expect(stdout).toMatch(/^used +31%$/m);
    expect(stdout).toMatch(/^spent +\$12\.40 of \$20\.00$/m);
    expect(stdout).toMatch(/^resets +2026-12-01/m);
    expect(stdout).toContain("Nothing went through Curlew in the last 7 days.");
    for (const drawn of ["\u001B", "█", "░"]) expect(stdout).not.toContain(drawn);
  });

  it.each([
    [{}, "No Cursor credential was found."],
    [{ CURSOR_API_KEY: "crsr_bad_key", CURLEW_LOG_LEVEL: "silent" }, "Cursor refused the API key"],
  ])("is not needed for Curlew's usage ledger: %j", async (env, problem) => {
    const simulator = await openSimulator();
    const { code, stdout } = await runCurlew(["usage"], { env: { CURSOR_BACKEND_URL: simulator.url, ...env } });
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
    expect(stdout).toContain("Nothing went through Curlew");
    expect(stdout).not.toContain("crsr_bad_key");
  });

  it("is coloured on a terminal, except with NO_COLOR", async () => {
    const onTerminal = async (more: Record<string, string>) => {
      const env = { TERM: "xterm", ...more };
      return (await runCurlew(["usage", "--backend", "simulator"], { env, columns: 100 })).stdout;
    };
    expect(await onTerminal({})).toContain("\u001B[32m█");
    const plain = await onTerminal({ NO_COLOR: "1" });
    expect(plain).toContain("31%    █");
    expect(plain).not.toContain("\u001B[32m");
  });
});
