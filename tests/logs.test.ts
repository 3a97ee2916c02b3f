import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatExtras, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startTestGateway, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { runCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";
import { openSimulator } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

/** Control characters and bidi marks, which a terminal would interpret. */
const OBEYED = /[^\n\P{Cc}]|\p{Cf}/u;

const tools = [tool("time")];
const ask = (url: string, id: string, content: string, { headers, ...extras }: ChatExtras = {}) =>
  chat(url, [user(content)], { ...extras, headers: { "x-request-id": id, "user-agent": "opencode/1.0", ...headers } });

let system: WholeSystem;
let env: Record<string, string>;
beforeAll(async () => {
  system = await startWholeSystem();
  env = { CURLEW_HOME: system.home };
  const { url } = system;
  await ask(url, "first", "[[say one]] [[usage 12345 850 12000 0 0]]");
  await ask(url, "other", "[[say two]]", { model: "gpt-5.5", headers: { "user-agent": "zed/2.0" } });
  await ask(url, "failed", "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]").catch(() => {});
  const hostile = { model: "\u001B[2J\u001B]0;owned\u0007\u009B31m\u202E" };
  await ask(url, "hostile", "[[say three]]", hostile).catch(() => {});
  const question = user("[[call time {}]] then [[say noon]]");
  const headers = (id: string) => ({ headers: { "x-request-id": id } });
  const called = await chat(url, [question], { tools, ...headers("round-one") });
  await delay(20); // a tool time of zero is not shown
  const answered = [question, called.message, result(called.calls[0], "12")];
  await chat(url, answered, { tools, ...headers("round-two") });
});
afterAll(() => system.close());

async function logs(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCurlew(["logs", ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function idsOf(...args: string[]): Promise<string[]> {
  const lines = (await logs("--json", ...args)).trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line).id);
}

describe("curlew logs", () => {
  it("shows the last requests, newest last", async () => {
    const text = await logs();
    expect(text).toMatch(
      /^\d\d-\d\d [\d:]{8} +opencode +auto +12\.3k in +97% cached +850 out +[\d.]+ m?s +cold: new +first [\d.]+ m?s +first$/m,
    );
    expect(text).toMatch(/ insufficient_quota +[\d.]+ m?s .*failed\n {16}\w.+\n/);
    expect(await idsOf()).toEqual(["first", "other", "failed", "hostile", "round-one", "round-two"]);
  });

  it.each([
    [
      ["-n", "2"],
      ["round-one", "round-two"],
    ],
    [["--lines=1"], ["round-two"]],
    [["--failed"], ["failed", "hostile"]],
    [["--client", "zed"], ["other"]],
    [["--client", "ze"], []],
    [["--model", "gpt-5.5-medium"], ["other"]],
    [
      ["--since", "1h", "--client", "opencode"],
      ["first", "failed", "hostile"],
    ],
    [["--since", "0s"], []],
  ])("filters by %j", async (args, ids) => {
    expect(await idsOf(...args)).toEqual(ids);
  });

  it("prints no control characters", async () => {
    const shown = [
      await logs(),
      await logs("hostile"),
      await logs("--json"),
      (await runCurlew(["logs", "hostile"], { env })).stdout,
    ];
    for (const text of shown) expect(text).not.toMatch(OBEYED);
    expect(shown[0]).toContain("owned");
  });

  it("reports when there are no requests", async () => {
    expect(await logs("--client", "nobody")).toBe("No matching requests.\n");
    expect(await runCurlew(["logs"])).toMatchObject({ code: 0, stdout: "No requests yet.\n" });
  });
});

describe("curlew logs ID", () => {
  it("shows all details of a request and its turn", async () => {
    const text = await logs("round-two");
    expect(text).toMatch(/^turn +request 2 of 2$/m);
    expect(text).toMatch(/^continuity +warm$/m);
    expect(text).toMatch(/^round-one +received .+, planned .+, run opened .+, first byte .+, ended with 1 tool call /m);
    expect(text).toMatch(/^round-two +received .+, with results after .+, ended /m);
    const json = JSON.parse(await logs("round-two", "--json"));
    expect(json).toMatchObject({
      entry: { id: "round-two", round: 1, runs: 0, turnRuns: 1, turnStartedMs: json.turn[0].entry.atMs },
      detail: { stream: true },
      turn: [{ entry: { id: "round-one", turnId: json.entry.turnId } }, { entry: { id: "round-two" } }],
    });
  });

  it("accepts the prefix of an id if it is unique", async () => {
    expect(await logs("round-t")).toContain("round-two");
    expect(await runCurlew(["logs", "round"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The ids of 2 requests begin with "round"'),
    });
    expect(await runCurlew(["logs", "nowhere"], { env })).toMatchObject({ code: 1, stdout: "" });
  });

  it("draws the timeline on a terminal", async () => {
    const onTerminal = { env: { ...env, TERM: "xterm", NO_COLOR: "1" }, columns: 100 };
    const { stdout: drawn } = await runCurlew(["logs", "round-two"], onTerminal);
    expect(drawn).toMatch(/0 ms .+\n +├─/);
    expect(drawn).toMatch(/round-one +[░▒█]+\n/);
    expect(drawn).toMatch(/tools +·+\n/);
    expect(drawn).toMatch(/round-two +[░▒█]+\n/);
  });
});

describe("curlew logs -f", () => {
  it("waits for a gateway, outlives it, and exits on Ctrl-C", async () => {
    const home = temporaryFolder();
    const simulator = await openSimulator();
    const following = spawnCurlew(["logs", "-f"], { env: { CURLEW_HOME: home } });
    const start = () =>
      startTestGateway({ home, apiKey: "crsr_follow", logLevel: "silent", settings: { backendUrl: simulator.url } });
    for (const id of ["before-restart", "after-restart"]) {
      const gateway = await start();
      await ask(gateway.url, id, "[[say hello]]");
      await following.printed("stdout", new RegExp(` ${id}\n`));
      await gateway.close();
    }
    following.signal("SIGINT");
    const { code, stdout, stderr } = await following.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/-restart$/gm)).toHaveLength(2);
  });

  it("filters, also in JSON, without repeating requests", async () => {
    const following = spawnCurlew(["logs", "-f", "-n", "1", "--json", "--failed"], { env });
    await following.printed("stdout", /\n/);
    await ask(system.url, "fine", "[[say fine]]");
    await ask(system.url, "broken", "[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]] broken").catch(() => {});
    await following.printed("stdout", /"id":"broken"/);
    following.signal("SIGTERM");
    const { stdout } = await following.finished;
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(["hostile", "broken"]);
  });

  it("ends when its reader closes the pipe", async () => {
    const following = spawnCurlew(["logs", "-f", "-n", "0"], { env });
    following.process.stdout?.destroy();
    const ended = following.finished.then(({ code, stderr }) => ({ code, stderr }));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    for (let count = 0; !isOver; count++) await ask(system.url, `unread-${count}`, "[[say more]]");
    expect(await ended).toEqual({ code: 0, stderr: "" });
  });
});
