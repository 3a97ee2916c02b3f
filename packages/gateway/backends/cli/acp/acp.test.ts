import { readdirSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../../testing/backends/scripted/index.js";
import { cliParts } from "../../../../../testing/gateway/cli-backend.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { type Clock, systemClock } from "../../../system/clock.js";
import { collect } from "../../../turn/collect.js";
import { GatewayError } from "../../../turn/error.js";
import type { TurnEvent } from "../../../turn/event.js";
import type { SentTurn, ToolDefinition } from "../../../turn/turn.js";
import type { Exchange, StartContext } from "../../backend.js";
import { Cli } from "../cli.js";
import { useFakeCli } from "../fake-cli.cases.js";
import { approvalFile } from "../mcp/approvals.js";
import { type AcpLimits, type AcpRunner, createAcpRunner, defaultAcpLimits } from "./index.js";

const tool = (name: string): ToolDefinition => ({ name, description: `The tool ${name}.`, inputSchema: {} });
const tools = [tool("weather"), tool("time")];

const { fake, temporaryFolder } = await useFakeCli();
let cli: Cli;
let runner: AcpRunner;
const opened: { readonly cli: Cli; readonly runner: AcpRunner }[] = [];
beforeEach(() => open());
afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.runner.close();
    await expect.poll(() => each.cli.running).toBe(0);
    await each.cli.close();
  }
  await expect.poll(() => readdirSync(temporaryFolder)).toEqual([]);
});

interface Opening {
  apiKey?: string;
  clock?: Clock;
  workspaceRoots?: string[];
}

function open(
  limits: Partial<AcpLimits> = {},
  { apiKey, clock = systemClock, workspaceRoots = [] }: Opening = {},
): void {
  const env = { PATH: process.env.PATH };
  cli = new Cli(cliParts({ cliPath: fake.command, env, temporaryFolder, apiKey }));
  runner = createAcpRunner({ cli, workspaceRoots, limits: { ...defaultAcpLimits, ...limits }, clock });
  opened.push({ cli, runner });
}

const start = (turn: SentTurn, rest: Partial<StartContext> = {}) =>
  runner.start(turn, startContext({ callable: turn.tools, ...rest }));
const say = (text: string, rest: Partial<SentTurn> = {}, context: Partial<StartContext> = {}) =>
  start(userTurn(text, rest as object), context);
const answer = (exchange: Exchange, callId: string | undefined, text: string) =>
  exchange.answer({ callId: callId ?? "", content: [{ type: "text", text }], isError: false });
const acpCalls = () => fake.calls().filter(({ argv }) => argv.includes("acp"));
const sent = (method: string) => fake.messages().filter(({ message }) => message.method === method);

async function all(exchange: Exchange): Promise<{ events: TurnEvent[]; error: GatewayError | undefined }> {
  const events: TurnEvent[] = [];
  try {
    for await (const batch of exchange.events()) {
      expect(batch).not.toEqual([]);
      events.push(...batch);
    }
    return { events, error: undefined };
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { events, error: thrown };
    throw thrown;
  }
}

/** The state that a reply leaves for the next turn. */
function stateIn(events: readonly TurnEvent[]): Uint8Array {
  const checkpoint = events.find((event) => event.type === "checkpoint");
  if (checkpoint === undefined) throw new Error("no checkpoint");
  return checkpoint.state;
}

/** A turn up to its first call. */
async function called(
  text: string,
  rest: Partial<SentTurn> = {},
): Promise<{ exchange: Exchange; id: string | undefined }> {
  const exchange = say(text, { tools, ...rest });
  const { calls } = await collect(exchange.events());
  return { exchange, id: calls[0]?.id };
}

/** The same with a manual clock, on which the quiet period must pass. */
async function calledByClock(clock: ManualClock): Promise<{ exchange: Exchange; id: string | undefined }> {
  open({ stillRunningMs: 3_600_000 }, { clock });
  const exchange = say("[[call weather {}]] then [[say done]]", { tools });
  const first = collect(exchange.events());
  await expect.poll(() => exchange.openCalls).toHaveLength(1);
  clock.advance(defaultAcpLimits.quietMs);
  return { exchange, id: (await first).calls[0]?.id };
}

describe("a turn over ACP", () => {
  it("is filtered when the model refuses, with estimated usage", async () => {
    const { text, finish, usage } = await collect(say("[[refuse I will not.]]").events());
    expect([text, finish, usage?.estimated]).toEqual(["I will not.", "filtered", true]);
  });

  it("starts the CLI for its model, with no tools but ours, in an empty workspace", async () => {
    open({}, { apiKey: "crsr_test" });
    await collect(say("[[say hi]]", {}, { model: { id: "default", parameters: [], isMax: false } }).events());
    const [call] = acpCalls().slice(-1);
    const cwd = call?.cwd ?? "";
    const onlyOurs = "x-cursor-agent-allowed-tools: mcp_tool_call,get_mcp_tools_tool_call";
    expect(call?.argv).toEqual(["--model", "auto", "--workspace", cwd, "--trust", "-H", onlyOurs, "acp"]);
    const { permissions } = JSON.parse(await readFile(join(cwd, ".cursor", "cli.json"), "utf8"));
    expect(permissions.deny).toEqual(["Shell(**)", "Read(**)", "Write(**)", "WebFetch(**)"]);
    expect(call?.env).toMatchObject({
      CURSOR_DATA_DIR: expect.stringContaining(temporaryFolder),
      NO_OPEN_BROWSER: "1",
    });
  });

  it("uses the CLI's own login only without a key", async () => {
    open({}, { apiKey: "crsr_test" });
    fake.setScenario({ loggedIn: false });
    const before = sent("authenticate").length;
    expect((await collect(say("[[say hi]]").events())).text).toBe("hi");
    expect(sent("authenticate")).toHaveLength(before);
    await runner.close();
    fake.setScenario({});
    open();
    await collect(say("[[say hi]]").events());
    expect(sent("authenticate")).toHaveLength(before + 1);
  });

  it("reports a missing login", async () => {
    fake.setScenario({ loggedIn: false });
    expect((await all(say("[[say hi]]"))).error).toMatchObject({ code: "cursor_login_required" });
  });

  it("reports a login that never answers as missing", async () => {
    fake.setScenario({ hangs: ["authenticate"] });
    const clock = new ManualClock();
    open({ startMs: 300 }, { clock });
    const asked = sent("authenticate").length;
    const reply = all(say("[[say hi]]"));
    await expect.poll(() => sent("authenticate").length).toBe(asked + 1);
    clock.advance(300);
    expect((await reply).error?.code).toBe("cursor_login_required");
  });

  it("shows the CLI's own tool calls as such, and denies them", async () => {
    const { events } = await all(say('[[native shell {"command":"ls"}]] then [[say done]]', { tools }));
    expect(events).toContainEqual(expect.objectContaining({ type: "call", runs: "backend" }));
    const result = events.find((event) => event.type === "call-result");
    expect(result?.summary).not.toContain("success");
    expect(events.some((event) => event.type === "call" && event.runs === "client")).toBe(false);
  });

  it("answers the CLI's questions to a user, so that the turn continues", async () => {
    fake.setScenario({ acpExtensions: ["cursor/ask_question", "cursor/create_plan", "cursor/update_todos"] });
    expect((await collect(say("[[say hi]]").events())).text).toBe("hi");
  });
});

describe("tools of the client", () => {
  it.each(["named", "anonymous"] as const)(
    "are called in a folder of the user's too, where the CLI asks for permission (%s)",
    async (mcpTitles) => {
      fake.setScenario({ mcpTitles });
      const workspace = await realpath(await mkdtemp(join(tmpdir(), "acp-named-")));
      open({}, { workspaceRoots: [workspace] });
      const { exchange, id } = await called("[[call weather {}]] then [[say done]]", { workspace });
      answer(exchange, id, "rain");
      expect((await collect(exchange.events())).text).toContain("Result of weather: rain");
      expect(acpCalls().at(-1)?.cwd).toBe(workspace);
      expect(readdirSync(workspace)).toEqual([]);
      await rm(workspace, { recursive: true });
    },
  );

  it("are not called in a folder that the settings do not allow", async () => {
    const { error } = await all(say("[[call weather {}]]", { tools, workspace: tmpdir() }));
    expect(error?.code).toBe("permission_denied");
  });

  it("are approved only for their session", async () => {
    const { exchange } = await called("[[call weather {}]]");
    const { cwd = "", env } = acpCalls().at(-1) ?? {};
    const file = approvalFile(env?.CURSOR_DATA_DIR ?? "", cwd);
    const approved = async () => JSON.parse(await readFile(file, "utf8"));
    expect(await approved()).toContainEqual(expect.stringMatching(/^gw-[0-9a-f]{16}$/));
    exchange.close("client-left");
    await expect.poll(async () => await approved()).toEqual([]);
  });

  it("cause an error when the CLI ignores them", async () => {
    fake.setScenario({ mcpIgnored: true });
    expect((await all(say("[[say hi]]", { tools }))).error?.code).toBe("client_outdated");
    expect((await all(say("[[say hi]]"))).error).toBeUndefined();
  });

  it("may take longer than the CLI waits for them", async () => {
    open({ stillRunningMs: 100 });
    const asked = sent("session/prompt").length;
    const exchange = say('[[call weather {}]] then [[call curlew_wait {"id":"call_1"}]] then [[say done]]', { tools });
    const { calls, finish } = await collect(exchange.events());
    expect([calls.length, finish]).toEqual([1, "tool-calls"]);
    answer(exchange, "call_1", "rain");
    const { text, calls: more } = await collect(exchange.events());
    expect(more).toEqual([]);
    expect(text).toContain("rain");
    expect(text).toContain("done");
    expect(sent("session/prompt")).toHaveLength(asked + 1);
  });

  it("are dropped when the model does not wait for them", async () => {
    open({ stillRunningMs: 100 });
    const { exchange } = await called("[[call weather {}]] then [[say done]]");
    await new Promise<void>((resolve) => exchange.onOver(resolve));
    expect(exchange.openCalls).toEqual([]);
    answer(exchange, "call_1", "too late");
    expect((await collect(exchange.events())).text).toContain("Call curlew_wait with");
  });
});

describe("the next turn of a conversation", () => {
  it("continues in the same session, with only the new message", async () => {
    const { events } = await all(say("[[say one]]", { system: "Be brief.", tools }));
    const sessions = sent("session/new").length;
    const next = await all(say("[[say two]]", { system: "Be brief.", tools }, { state: stateIn(events) }));
    expect(next.events).toContainEqual({ type: "text", delta: "two" });
    expect(sent("session/new")).toHaveLength(sessions);
    expect(sent("session/prompt").at(-1)?.message.params).toMatchObject({
      prompt: [{ type: "text", text: "[[say two]]" }],
    });
  });

  it("does not resume from a used or unknown state", async () => {
    const state = stateIn((await all(say("[[say one]]"))).events);
    await all(say("[[say two]]", {}, { state }));
    expect((await all(say("[[say three]]", {}, { state }))).error?.code).toBe("session_expired");
    expect((await all(say("[[say x]]", {}, { state: Buffer.from("other") }))).error?.code).toBe("session_expired");
  });

  it("does not resume with more than a new user message, and keeps the session for others", async () => {
    const state = stateIn((await all(say("[[say one]]"))).events);
    const messages = [
      { role: "assistant" as const, content: [{ type: "text" as const, text: "edited" }] },
      { role: "user" as const, content: [{ type: "text" as const, text: "[[say x]]" }] },
    ];
    expect((await all(say("", { messages }, { state }))).error?.code).toBe("session_expired");
    expect((await all(say("[[say two]]", {}, { state }))).error).toBeUndefined();
  });

  it("does not resume when its process has died", async () => {
    const state = stateIn((await all(say("[[say one]]"))).events);
    process.kill(acpCalls().at(-1)?.pid ?? 0, "SIGKILL");
    expect((await all(say("[[say two]]", {}, { state }))).error?.code).toBe("session_expired");
    expect((await collect(say("[[say new]]").events())).text).toBe("new");
  });
});

describe("a failure", () => {
  it("in a response of the protocol is the same as in a line of the answer", async () => {
    fake.setScenario({ acpErrors: "rpc" });
    expect((await all(say("[[fail permission_denied]]"))).error?.code).toBe("permission_denied");
  });

  it("of the process ends the turn, and the next one gets another process", async () => {
    const { error } = await all(say("[[say begun]] [[drop]]"));
    expect(error).toMatchObject({ code: "upstream_error" });
    expect((await collect(say("[[say again]]").events())).text).toBe("again");
  });

  it("of the process while the client runs a tool ends the turn at once, so that it can be sent again", async () => {
    const { exchange } = await called("[[call weather {}]] then [[say done]]");
    process.kill(acpCalls().at(-1)?.pid ?? 0, "SIGKILL");
    await new Promise<void>((resolve) => exchange.onOver(resolve));
    expect(exchange.openCalls).toEqual([]);
    expect((await all(exchange)).error?.code).toBe("session_expired");
  });

  it("of the process after the results, but before any output, expires the session too", async () => {
    const { exchange, id } = await called("[[call weather {}]] then [[drop]]");
    answer(exchange, id, "rain");
    const { events, error } = await all(exchange);
    expect(error?.code).toBe(events.length === 0 ? "session_expired" : "upstream_error");
  });

  it("of the login ends the process too, so that the next turn has the new one", async () => {
    expect((await all(say("[[fail unauthenticated]]"))).error?.kind).toBe("authentication");
    await expect.poll(() => cli.running).toBe(0);
  });

  it("is reported as too long a prompt if the request may fill the model's window", async () => {
    const model = { id: "default", parameters: [], isMax: false, contextTokens: 200_000 };
    const failing = (estimatedTokens: number) =>
      all(say("[[fail resource_exhausted]]", {}, { model, estimatedTokens }));
    expect((await failing(80_000)).error?.code).toBe("context_length_exceeded");
    expect((await failing(79_000)).error?.code).not.toBe("context_length_exceeded");
  });

  it("is retried once before any output", async () => {
    const before = sent("session/prompt").length;
    const twice = say("[[fail unavailable]]");
    expect((await all(twice)).error).toMatchObject({ isRetryable: true, shouldClientRetry: false });
    expect(sent("session/prompt")).toHaveLength(before + 2);
    expect(twice.meter).toMatchObject({ runs: 2, retries: 1 });
    const once = say("[[fail unavailable]] again", {}, { maxRetries: 0 });
    expect((await all(once)).error).toMatchObject({ isRetryable: true, shouldClientRetry: true });
    expect(sent("session/prompt")).toHaveLength(before + 3);
  });

  it("by silence ends the turn", async () => {
    const clock = new ManualClock();
    open({}, { clock });
    const events = say("[[say begun]] [[wait 60000]]").events()[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    clock.advance(defaultAcpLimits.noProgressMs + 1_000);
    await expect(next).rejects.toMatchObject({ code: "timeout" });
  });

  it("by silence is not assumed while the client runs a tool", async () => {
    const clock = new ManualClock();
    const { exchange, id } = await calledByClock(clock);
    clock.advance(defaultAcpLimits.noProgressMs * 2);
    answer(exchange, id, "rain");
    expect((await collect(exchange.events())).text).toContain("done");
  });
});

describe("a cancelled turn", () => {
  it.each([
    ["client-left", "canceled"],
    ["shutdown", "shutting_down"],
  ] as const)("(%s) is cancelled at the CLI, which continues to serve others", async (reason, code) => {
    const exchange = say("[[say begun]] [[wait 60000]]");
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    exchange.close(reason);
    await expect.poll(() => sent("session/cancel").length).toBeGreaterThan(0);
    const { pid } = acpCalls().at(-1) ?? {};
    expect((await collect(say("[[say other]]").events())).text).toBe("other");
    expect(acpCalls().at(-1)?.pid).toBe(pid);
    await expect(events.next()).rejects.toMatchObject({ code }); // and not with what the CLI still wrote
  });

  it("while the client runs its tools ends the prompt too", async () => {
    const { exchange } = await called("[[call weather {}]]");
    const before = sent("session/cancel").length;
    exchange.close("lease-expired");
    expect(exchange.openCalls).toEqual([]);
    await expect.poll(() => sent("session/cancel")).toHaveLength(before + 1);
  });

  it("kills its process if that does not stop in time", async () => {
    fake.setScenario({ hangs: ["session/cancel"] });
    open({ cancelMs: 100 });
    const exchange = say("[[say begun]] [[wait 60000]]");
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    exchange.close("client-left");
    await expect.poll(() => cli.running).toBe(0);
  });
});

describe("processes", () => {
  it("are shared by the turns of one model, and others have their own", async () => {
    const before = acpCalls().length;
    await Promise.all(["a", "b", "c"].map((word) => collect(say(`[[say ${word}]]`).events())));
    expect(acpCalls()).toHaveLength(before + 1);
    const other = { id: "grok-4.6", parameters: [], isMax: false };
    await all(say("[[say d]]", {}, { model: other }));
    expect(acpCalls()).toHaveLength(before + 2);
  });

  it("are replaced after a number of sessions, and end with their last turn", async () => {
    open({ maxSessions: 2 });
    const before = acpCalls().length;
    const { exchange: parked, id } = await called("[[call weather {}]] then [[say done]]");
    await collect(say("[[say a]]").events());
    await collect(say("[[say b]]").events());
    expect(acpCalls()).toHaveLength(before + 2);
    expect(cli.running).toBe(2);
    answer(parked, id, "rain");
    expect((await collect(parked.events())).text).toContain("done");
    await expect.poll(() => cli.running).toBe(1);
  });

  it("are ended when they have been idle for a while", async () => {
    const clock = new ManualClock();
    const { exchange, id } = await calledByClock(clock);
    clock.advance(defaultAcpLimits.idleMs * 2);
    answer(exchange, id, "rain");
    expect((await collect(exchange.events())).text).toContain("done");
    expect(cli.running).toBe(1);
    clock.advance(defaultAcpLimits.idleMs + 1_000);
    await expect.poll(() => cli.running).toBe(0);
  });

  it("make room for other models only when idle", async () => {
    open({ maxProcesses: 1 });
    const { exchange: parked } = await called("[[call weather {}]]");
    const model = { id: "grok-4.6", parameters: [], isMax: false };
    expect((await all(say("[[say b]]", {}, { model }))).error).toMatchObject({
      code: "overloaded",
      isOwnRefusal: true,
    });
    parked.close("client-left");
    await expect.poll(async () => (await all(say("[[say b]]", {}, { model }))).error).toBeUndefined();
  });
});

it("keeps twenty conversations with tools apart, all at once", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const texts = await Promise.all(
    names.map(async (name) => {
      const own = [tool(`tool_${name}`)];
      const ids = Array.from({ length: 3 }, (_, at) => `call_${name}_${at}`);
      const text = `[[call tool_${name} {"who":"${name}"}]] then [[call tool_${name} {"again":"${name}"}]] then [[say end ${name}]]`;
      const exchange = say(text, { tools: own }, { newCallId: () => ids.shift() ?? "" });
      let said = "";
      for (const round of ["first", "second"]) {
        const { calls, text: before } = await collect(exchange.events());
        expect(calls).toHaveLength(1);
        expect(calls[0]).toMatchObject({ name: `tool_${name}`, input: expect.stringContaining(`"${name}"`) });
        said += before;
        answer(exchange, calls[0]?.id, `${round} ${name}`);
      }
      return said + (await collect(exchange.events())).text;
    }),
  );
  for (const [at, name] of names.entries()) {
    expect(texts[at]).toMatch(new RegExp(`first ${name}.*second ${name}.*end ${name}`, "s"));
    expect(new Set(texts[at]?.match(/\bn\d+\b/g))).toEqual(new Set([name]));
  }
});
