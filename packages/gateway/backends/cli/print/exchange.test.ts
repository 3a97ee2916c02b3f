import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counting } from "@curlew/simulator/model/words.js";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../../testing/backends/scripted/index.js";
import { type CliChanges, makeCliBackend } from "../../../../../testing/gateway/cli-backend.js";
import { isGroupAlive } from "../../../system/process-group.js";
import { collect } from "../../../turn/collect.js";
import { GatewayError } from "../../../turn/error.js";
import type { Batch, TurnEvent } from "../../../turn/event.js";
import type { SentTurn } from "../../../turn/turn.js";
import type { Backend, Exchange } from "../../backend.js";
import { useFakeCli } from "../fake-cli.cases.js";

const { fake, temporaryFolder } = await useFakeCli();
const others: Backend[] = [];
/** A backend with the usual limits, shared so that it asks for the CLI's version once. */
const backend = createBackend();
afterEach(async () => {
  await Promise.all(others.splice(0).map((each) => each.close()));
  // Processes that have written everything get a moment to exit by themselves.
  await expect.poll(() => readdirSync(temporaryFolder)).toEqual([]);
});
afterAll(() => backend.close());

function createBackend(rest: Partial<CliChanges> = {}): Backend {
  const env = { PATH: process.env.PATH, HOME: temporaryFolder, SECRET_OF_OURS: "x" };
  return makeCliBackend({ cliPath: fake.command, env, temporaryFolder, ...rest });
}

function createOther(rest: Partial<CliChanges>): Backend {
  const created = createBackend(rest);
  others.push(created);
  return created;
}

function start(turn: SentTurn | string, context = startContext(), on = backend): Exchange {
  return on.start(typeof turn === "string" ? userTurn(turn) : turn, context);
}

async function failure(exchange: Exchange): Promise<{ events: TurnEvent[]; error: GatewayError }> {
  const events: TurnEvent[] = [];
  try {
    for await (const batch of exchange.events()) events.push(...batch);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { events, error: thrown };
    throw thrown;
  }
  throw new Error("there was no failure");
}

const lastCall = () => fake.calls().findLast(({ argv }) => argv.includes("-p"));

describe("a turn in print mode", () => {
  it("goes to the CLI on its input, in an empty workspace with a data folder of its own, and answers", async () => {
    const turn = userTurn("[[think hm]] [[say Grüße 🦆]]", { system: "Be brief." });
    const { text, thinking, usage } = await collect(start(turn).events());
    expect([text, thinking]).toEqual(["Grüße 🦆", "hm"]);
    expect(usage).toMatchObject({ estimated: false });
    const { argv = [], cwd = "", env = {}, envNames = [], stdin = "" } = lastCall() ?? {};
    const expected = ["-p", "--output-format", "stream-json", "--stream-partial-output", "--mode", "ask", "--trust"];
    expect(argv).toEqual([...expected, "--workspace", cwd, "--model", "auto"]);
    expect(cwd.startsWith(temporaryFolder)).toBe(true);
    expect(env.CURSOR_DATA_DIR?.startsWith(temporaryFolder)).toBe(true);
    expect(envNames).not.toContain("SECRET_OF_OURS");
    expect(stdin).toContain("<system>\nBe brief.\n</system>");
  });

  it("reports tools that the CLI runs itself as its own, with their results", async () => {
    const events: TurnEvent[] = [];
    const turn = '[[say Let me see.]] [[native read {"path":"a.txt"}]] then [[say Done.]]';
    for await (const batch of start(turn).events()) events.push(...batch);
    const call = events.find((event) => event.type === "call");
    expect(call).toMatchObject({ name: "read", runs: "backend" });
    expect(events).toContainEqual({ type: "call-result", id: call?.id, summary: expect.stringMatching(/./) });
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop" });
    const text = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
    expect(text).toMatch(/^Let me see\..*Done\.$/s);
  });

  it.each([
    ["an answer that is repeated after a lost connection", { retry: true }],
    ["a line of 1 MB", { hugeLineBytes: 1024 * 1024 }],
    ["events on stderr too", { stderrMirror: true }],
    ["an old build with colours", { oldBuild: true, ansi: true }],
    ["a child that is left behind", { leavesChild: true }],
  ])("gives the answer once in spite of %s", async (_, scenario) => {
    fake.setScenario(scenario);
    const said = "ha ha ha — naïve 🦆🦆 end";
    expect((await collect(start(`[[say ${said}]]`).events())).text).toBe(said);
  });

  it("estimates the usage that an old build does not report", async () => {
    fake.setScenario({ oldBuild: true });
    const { usage } = await collect(start("[[say hello there]]", startContext({ estimatedTokens: 77 })).events());
    expect(usage).toMatchObject({ inputTokens: 77, outputTokens: 3, estimated: true });
  });

  it("is over with its result, though the process hangs and ignores SIGTERM", async () => {
    fake.setScenario({ hangAfterResult: true, ignoresTerm: true });
    expect((await collect(start("[[say done]]").events())).text).toBe("done");
    expect(isGroupAlive(lastCall()?.pid ?? 0)).toBe(true);
    await expect.poll(() => isGroupAlive(lastCall()?.pid ?? 0)).toBe(false);
  });

  it("makes the CLI wait for a slow reader, and loses nothing", async () => {
    const events = start("[[stream 50000]]").events()[Symbol.asyncIterator]();
    const textOf = (batch: Batch) => batch.map((event) => (event.type === "text" ? event.delta : "")).join("");
    let text = "";
    for (let pauses = 3, next = await events.next(); !next.done; next = await events.next()) {
      const said = textOf(next.value);
      text += said;
      if (pauses-- < 0) continue;
      expect(said.length).toBeLessThan(20_000);
      await collect(start("[[say meanwhile]]").events());
    }
    expect(text).toBe([...counting(50_000)].join(""));
  });
});

describe("a turn in print mode fails", () => {
  it.each([
    ["the CLI is not logged in", { loggedIn: false }, "cursor_login_required"],
    ["the plan is used up", { end: "usage-limit" }, "insufficient_quota"],
    ["it ends without a result, with exit code 0", { end: "no-result" }, "upstream_error"],
    ["its result is an error", { end: "error-result" }, "upstream_error"],
    ["the stream is cut", { end: "cut" }, "overloaded"],
    ["the plan has no such model", { end: "free-plan" }, "plan_required"],
  ] as const)("when %s", async (_, scenario, code) => {
    fake.setScenario(scenario);
    const { error, events } = await failure(start("[[say x]]"));
    expect(error.code).toBe(code);
    expect(events.some(({ type }) => type === "finish")).toBe(false);
  });

  it("when the CLI is missing, and finds it once it is installed", async () => {
    const env = { PATH: "/nowhere" };
    const other = createOther({ cliPath: undefined, env });
    const { error } = await failure(start("[[say x]]", startContext(), other));
    expect([error.code, error.message]).toEqual(["server_error", expect.stringContaining("CURLEW_CLI_PATH")]);
    env.PATH = fake.path;
    expect((await collect(start("[[say found]]", startContext(), other).events())).text).toBe("found");
  });

  it.each([
    ["it does not start", { startMs: 60_000 }, { startMs: 200 }, "[[say x]]", /did not start/],
    ["it falls silent", {}, { idleMs: 200 }, "[[say x]] [[wait 60000]]", /has said nothing/],
    ["it never comes to an end", { deltaMs: 50 }, { totalMs: 300 }, "[[stream 100000]]", /has not finished/],
  ])("when %s, and nothing of it is left", async (_, scenario, limits, prompt, text) => {
    const other = createOther({ limits });
    fake.setScenario({ ...scenario, ignoresTerm: true });
    const { error } = await failure(start(prompt, startContext(), other));
    expect([error.code, error.message]).toEqual(["timeout", expect.stringMatching(text)]);
    await other.close();
    expect(isGroupAlive(lastCall()?.pid ?? 0)).toBe(false);
  });
});

describe("closing", () => {
  it("ends the CLI and all it started", async () => {
    fake.setScenario({ leavesChild: true });
    const exchange = start("[[say begun]] [[wait 60000]]");
    const over = new Promise<void>((resolve) => exchange.onOver(resolve));
    const ended = failure(exchange);
    await expect.poll(() => lastCall()?.stdin).toContain("begun");
    const pid = lastCall()?.pid ?? 0;
    exchange.close("client-left");
    expect((await ended).error.code).toBe("canceled");
    await over;
    await expect.poll(() => isGroupAlive(pid)).toBe(false);
    await expect.poll(() => readdirSync(temporaryFolder)).toEqual([]);
  });
});

describe("a workspace that a request names", () => {
  it("is used when it is below an allowed folder, and left as it is", async () => {
    const root = await mkdtemp(join(tmpdir(), "roots-"));
    const workspace = join(root, "project");
    await mkdir(workspace);
    const other = createOther({ workspaceRoots: [root] });
    await collect(start(userTurn("[[say x]]", { workspace }), startContext(), other).events());
    expect(lastCall()?.cwd).toBe(workspace);
    expect(lastCall()?.env.CURSOR_DATA_DIR?.startsWith(temporaryFolder)).toBe(true);
    expect([existsSync(workspace), readdirSync(workspace)]).toEqual([true, []]);
    await rm(root, { recursive: true });
  });

  it("is refused when no folder is allowed", async () => {
    const { error } = await failure(start(userTurn("[[say x]]", { workspace: temporaryFolder })));
    expect([error.code, error.message]).toEqual(["permission_denied", expect.stringContaining("workspaceRoots")]);
  });
});
