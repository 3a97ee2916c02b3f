import type { Simulator } from "@curlew/simulator/index.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { untilAtRest } from "../../../../../testing/at-rest.js";
import { startContext, userTurn } from "../../../../../testing/backends/scripted/index.js";
import { type BackendChanges, makeAgentBackend } from "../../../../../testing/gateway/agent-backend.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { sampleProfile } from "../../../../../testing/samples/sample-profile.js";
import { sampleTokens } from "../../../../../testing/samples/sample-tokens.js";
import { startSimulator } from "../../../../../testing/simulator/strict-simulator.js";
import type { TokenSource } from "../../../account/token.js";
import type { Clock } from "../../../system/clock.js";
import { collect } from "../../../turn/collect.js";
import type { TurnEvent } from "../../../turn/event.js";
import type { SentTurn } from "../../../turn/turn.js";
import type { Exchange } from "../../backend.js";
import type { AgentBackend } from "../index.js";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const warnings: { fields: object; message: string }[] = [];

function makeBackend(changes: BackendChanges = {}): AgentBackend {
  const log = { info() {}, warn: (fields: object, message: string) => void warnings.push({ fields, message }) };
  return makeAgentBackend(simulator.url, { log, ...changes });
}

describe.each(["h2", "h1"] as const)("a run over %s", (transport) => {
  let backend: AgentBackend;
  beforeEach(() => {
    simulator.reset();
    simulator.configure({ transport });
    warnings.length = 0;
    backend = makeBackend();
  });
  afterEach(async () => {
    backend.close();
    simulator.configure({ gzip: false, drift: false, forgetBlobs: false, deniedVersions: [], heartbeatMs: 5_000 });
    await expect.poll(() => simulator.stats().runsOpen).toBe(0);
  });

  const start = (turn: string | SentTurn): Exchange =>
    backend.start(typeof turn === "string" ? userTurn(turn) : turn, startContext({ requestId: "test" }));
  const say = async (turn: string | SentTurn) => (await collect(start(turn).events())).text;
  const lastRun = () => simulator.requests(50).findLast(({ path }) => isRun(path));

  it("marks the last checkpoint of the turn, which Cursor sends twice", async () => {
    const events: TurnEvent[] = [];
    for await (const batch of start("[[think hm]] [[say hi]]").events()) events.push(...batch);
    const last = events.filter((event) => event.type === "checkpoint" && event.isLast === true);
    expect(last).toMatchObject([{ phase: "settled" }]);
    expect(events.slice(-3).map(({ type }) => type)).toEqual(["checkpoint", "usage", "finish"]);
    expect(events.at(-3)).toBe(last[0]);
  });

  it("sends only the text of a user message, as Cursor's own SDK does, under UUIDs", async () => {
    await say("[[say hi]]");
    expect(lastRun()?.headers).toMatchObject({
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "x-original-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(lastRun()?.messages[0]).toHaveProperty("runRequest.action", {
      userMessageAction: { userMessage: { text: "[[say hi]]" } },
    });
  });

  it("continues after a transcript that ends with a tool's result", async () => {
    const turn: SentTurn = {
      ...userTurn(""),
      messages: [
        { role: "user", content: [{ type: "text", text: "[[call weather {}]] then [[say done after the tool]]" }] },
        { role: "assistant", content: [{ type: "call", id: "c1", name: "weather", input: "{}" }] },
        { role: "tool", results: [{ callId: "c1", content: [{ type: "text", text: "rain" }], isError: false }] },
      ],
    };
    expect(await say(turn)).toContain("done after the tool");
  });

  it("answers every built-in tool with a refusal of its own type, and the model continues", async () => {
    const kinds = [
      "shell", "shell_stream", "write", "delete", "grep", "read", "redacted_read", "ls", "diagnostics", "fetch",
      "background_shell_spawn", "list_mcp_resources_exec", "read_mcp_resource_exec", "record_screen", "computer_use",
      "write_shell_stdin", "subagent", "subagent_await", "smart_mode_classifier", "canvas_diagnostics",
      "shell_allowlist_precheck", "mcp_allowlist_precheck", "web_fetch_allowlist_precheck", "pi_read", "pi_bash", "pi_edit",
      "pi_write", "pi_grep", "pi_find", "pi_ls", "mini_swe_agent_bash", "conversation_search", "agent_store_conflict",
      "execute_hook", "force_background_shell", "force_background_subagent", "git_diff_request", "adopt",
    ]; // biome-ignore format: a list, not a column
    const text = await say(`${kinds.map((kind) => `[[native ${kind} {}]] `).join("")}[[say the end]]`);
    for (const kind of kinds) expect(text).toContain(`native ${kind}:`);
    expect(text).toContain("the end");
    const { execsAsked, execsAnswered, execsThrown } = simulator.stats();
    expect(execsAsked).toBe(kinds.length + 1); // one more for the request context
    expect(execsAnswered + execsThrown).toBe(execsAsked);
    expect(execsThrown).toBe(5);
  });

  it("answers unknown requests, and counts them", async () => {
    expect(await say("[[exec 99]] [[say still here]]")).toContain("still here");
    expect(simulator.stats().execsThrown).toBe(1);
    expect(backend.drift.exec).toBe(1);
  });

  const questions =
    "web_search ask_question switch_mode create_plan web_fetch pr_management mcp_auth generate_image connect_scm " +
    "replace_env setup_vm_environment";
  it.each(questions.split(" "))("declines the question %s and continues", async (kind) => {
    expect(await say(`[[query ${kind} {}]] [[say went on]]`)).toContain("went on");
    expect(simulator.stats()).toMatchObject({ queriesAsked: 1, queriesAnswered: 1, queriesAbandoned: 0 });
  });

  it("reports that there are no MCP servers", async () => {
    expect(await say("[[state]] [[say went on]]")).toContain("went on");
    expect(simulator.stats().execsThrown).toBe(0);
  });

  it("reads compressed frames, though it did not ask for them", async () => {
    simulator.configure({ gzip: true });
    expect(await say("[[think hm]] [[say compressed words]]")).toBe("compressed words");
  });

  it("tolerates fields and requests from a newer server", async () => {
    simulator.configure({ drift: true });
    expect(await say("[[say newer]]")).toBe("newer");
  });

  it("supplies all blobs again to a server that forgot them", async () => {
    simulator.configure({ forgetBlobs: true });
    expect(await say("[[say remembered]]")).toBe("remembered");
  });

  it("names the fix when Cursor wants a newer client", async () => {
    const { cli, sdk } = sampleProfile.clients;
    simulator.configure({ deniedVersions: [cli.version, sdk.version] });
    await expect(say("[[say hi]]")).rejects.toMatchObject({
      code: "client_outdated",
      message: expect.stringContaining("CURSOR_CLIENT_VERSION"),
    });
    expect(simulator.stats().runs).toBe(2);
  });

  it("delivers 100,000 deltas complete and in order", async () => {
    const text = await say("[[stream 100000]]");
    const numbers = text.trim().split(/\s+/);
    expect(numbers).toHaveLength(100_000);
  });

  it("lists the models, the automatic one first", async () => {
    const models = await backend.models(AbortSignal.timeout(5_000));
    expect(models[0]).toMatchObject({ id: "default", aliases: ["auto"] });
    expect(models.map(({ id }) => id)).toContain("composer-2.5");
    expect(models.find(({ id }) => id === "composer-2.5")?.canThink).toBe(true);
  });

  it("repeats a turn once with a new token when the old one is refused", async () => {
    const real = sampleTokens(simulator.url);
    let renewals = 0;
    const stale: TokenSource = {
      account: "me",
      state: "authenticated",
      expiresMs: undefined,
      current: () => undefined,
      get: async (signal) => (renewals === 0 ? "a-token-that-cursor-forgot" : real.get(signal)),
      renew: (_token, signal) => {
        renewals++;
        return real.get(signal);
      },
    };
    const other = makeBackend({ tokens: stale });
    const exchange = other.start(userTurn("[[say second try]]"), startContext({ requestId: "test" }));
    expect((await collect(exchange.events())).text).toBe("second try");
    expect(renewals).toBe(1);
    other.close();
  });

  it("resets the stream when the client leaves, and not after the end", async () => {
    const exchange = start("[[say one]] [[wait 60000]]");
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    exchange.close("client-left");
    await expect(drain(events)).rejects.toMatchObject({ code: "canceled" });
    await expect.poll(() => simulator.stats().cancelled).toBe(1);

    const done = start("[[say two]]");
    await collect(done.events());
    done.close("client-left");
    await say("[[say three]]");
    expect(simulator.stats().cancelled).toBe(1);
  });

  it("stops reading while its events are not taken", async () => {
    const exchange = start("[[stream 2000000]]");
    const events = exchange.events()[Symbol.asyncIterator]();
    await events.next();
    await untilAtRest(() => simulator.stats().bytesOut);
    // Over HTTP/1.1 the kernel's buffers fill as well; all of it would be 50 MB.
    expect(simulator.stats().bytesOut).toBeLessThan(16 * 1024 * 1024);
    exchange.close("client-left");
  });
});

describe.each(["h2", "h1"] as const)("over %s, in time,", (transport) => {
  let clock: ManualClock;
  let backend: AgentBackend;
  beforeEach(() => {
    simulator.reset();
    simulator.configure({ transport, heartbeatMs: 20 });
    clock = new ManualClock(Date.now());
    backend = makeBackend({ clock });
  });
  afterEach(async () => {
    backend.close();
    simulator.configure({ heartbeatMs: 5_000 });
    await expect.poll(() => simulator.stats().runsOpen).toBe(0);
  });

  describe("trouble before the model has spoken", () => {
    const outcome = (text: string) =>
      collect(backend.start(userTurn(text), startContext({ requestId: "test" })).events()).then(
        (result) => result.text,
        (error) => error.code as string,
      );

    it("is retried three times, one, two and four seconds apart, under the same original id", async () => {
      const result = outcome("[[fail unavailable]]");
      for (const delayMs of [1_000, 2_000, 4_000]) {
        await expect.poll(() => clock.sleeps).toBe(1);
        const runs = simulator.stats().runs;
        clock.advance(delayMs - 1);
        expect(simulator.stats().runs).toBe(runs);
        clock.advance(1);
        await expect.poll(() => simulator.stats().runs).toBe(runs + 1);
      }
      expect(await result).toBe("overloaded");
      expect(simulator.stats().runs).toBe(4);
      const runs = simulator.requests(50).filter(({ path }) => isRun(path));
      expect(new Set(runs.map(({ headers }) => headers["x-original-request-id"])).size).toBe(1);
      expect(new Set(runs.map(({ headers }) => headers["x-request-id"])).size).toBe(4);
      expect(runs[0]?.headers["x-request-id"]).toBe(runs[0]?.headers["x-original-request-id"]);
    });

    it.each(["permission_denied", "invalid_argument", "resource_exhausted ERROR_RATE_LIMITED"])(
      "of the kind %s is not retried",
      async (failure) => {
        await outcome(`[[fail ${failure}]]`);
        expect(simulator.stats().runs).toBe(1);
      },
    );

    it("is not retried without retries left, and the error says whether it was retried", async () => {
      const start = (maxRetries?: number) =>
        collect(backend.start(userTurn("[[drop]]"), startContext({ requestId: "test", maxRetries })).events());
      await expect(start(0)).rejects.toMatchObject({ code: "upstream_error", shouldClientRetry: true });
      expect(simulator.stats().runs).toBe(1);
      const retried = start();
      retried.catch(() => {});
      for (const delayMs of [1_000, 2_000, 4_000]) {
        await expect.poll(() => clock.sleeps).toBe(1);
        clock.advance(delayMs);
      }
      await expect(retried).rejects.toMatchObject({ code: "upstream_error", shouldClientRetry: false });
      expect(simulator.stats().runs).toBe(5);
    });

    it("is not retried once the client has left", async () => {
      const exchange = backend.start(userTurn("[[drop]]"), startContext({ requestId: "test" }));
      const ended = collect(exchange.events());
      await expect.poll(() => clock.sleeps).toBe(1);
      exchange.close("client-left");
      await expect(ended).rejects.toMatchObject({ code: "canceled" });
      clock.advance(60_000);
      expect(simulator.stats().runs).toBe(1);
    });
  });

  describe("a run whose model has spoken", () => {
    async function begin(text: string) {
      const exchange = backend.start(userTurn(text), startContext({ requestId: "test" }));
      const events = exchange.events()[Symbol.asyncIterator]();
      const seen: TurnEvent[] = [];
      while (!seen.some(({ type }) => type === "text")) {
        const { value } = await events.next();
        seen.push(...(value ?? []));
      }
      return { exchange, events };
    }

    const tools = [{ name: "tide", description: "", inputSchema: {} }];
    const startTide = (text: string) => backend.start(userTurn(text, { tools }), startContext({ callable: tools }));

    it("is never retried, whatever breaks", async () => {
      const { events } = await begin("[[say begun]] [[wait 50]] [[drop]]");
      await expect(drain(events)).rejects.toMatchObject({ code: "upstream_error" });
      expect(simulator.stats().runs).toBe(1);
    });

    it("collects successive calls in one reply, while each comes in time", async () => {
      const exchange = startTide("[[call tide {}]] [[gap 20]] [[call tide {}]] [[gap 20]] [[call tide {}]]");
      const reply = collect(exchange.events());
      for (let calls = 1; calls <= 3; calls++) {
        await expect.poll(() => exchange.openCalls.length).toBeGreaterThanOrEqual(calls);
        clock.advance(200);
      }
      clock.advance(50);
      expect((await reply).calls).toHaveLength(3);
      exchange.close("client-left");
    });

    it("learns how long the client took for a call", async () => {
      const exchange = startTide("[[call tide {}]] then [[say done]]");
      const { calls } = await collect(exchange.events());
      clock.advance(7_000);
      exchange.answer({ callId: calls[0]?.id ?? "", content: [{ type: "text", text: "high" }], isError: false });
      await collect(exchange.events());
      const answers = simulator.requests(50).flatMap(({ messages }) => messages);
      expect(answers).toContainEqual({
        execClientMessage: expect.objectContaining({ mcpResult: expect.anything(), localExecutionTimeMs: 7_000 }),
      });
    });

    it("gets a heartbeat every five seconds", async () => {
      const { exchange } = await begin("[[say begun]] [[wait 60000]]");
      for (let beats = 1; beats <= 3; beats++) {
        clock.advance(5_000);
        await expect.poll(() => simulator.stats().heartbeatsIn).toBe(beats);
      }
      exchange.close("client-left");
    });

    it("is ended after five minutes of heartbeats alone: they are not progress", async () => {
      const { events } = await begin("[[say begun]] [[wait 60000]]");
      const ended = expect(drain(events)).rejects.toMatchObject({
        code: "timeout",
        message: expect.stringContaining("300 s"),
      });
      for (let passedMs = 0; passedMs < 290_000; passedMs += 10_000) {
        clock.advance(10_000);
        await heartbeatFrom(simulator);
      }
      expect(simulator.stats().cancelled).toBe(0);
      clock.advance(10_000);
      await ended;
      await expect.poll(() => simulator.stats().cancelled).toBe(1);
    });

    it("takes the results of its calls after the system clock was set back", async () => {
      const exchange = startTide("[[call tide {}]] then [[say done]]");
      const { calls } = await collect(exchange.events());
      clock.setBack(30 * 24 * 3_600_000);
      exchange.answer({ callId: calls[0]?.id ?? "", content: [{ type: "text", text: "low" }], isError: false });
      expect((await collect(exchange.events())).text).toContain("done");
    });

    it("survives silence while this machine slept", async () => {
      let sleptMs = 0;
      const sleepy: Clock = {
        now: () => clock.now() + sleptMs,
        elapsed: () => clock.elapsed() + sleptMs,
        every: (intervalMs, callback) => clock.every(intervalMs, callback),
        after: (ms, callback) => clock.after(ms, callback),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      };
      const other = makeBackend({ clock: sleepy });
      const exchange = other.start(userTurn("[[say begun]] [[wait 60000]]"), startContext());
      const events = exchange.events()[Symbol.asyncIterator]();
      await events.next();
      sleptMs = 60_000;
      clock.advance(1_000);
      for (let beats = 0; beats < 3; beats++) await heartbeatFrom(simulator); // by then the first of them has been read
      clock.advance(1_000);
      await heartbeatFrom(simulator);
      expect(simulator.stats()).toMatchObject({ runsOpen: 1, cancelled: 0 });
      other.close();
    });

    it("times out after thirty seconds of silence", async () => {
      simulator.configure({ heartbeatMs: 600_000 });
      const { events } = await begin("[[say begun]] [[wait 60000]]");
      const ended = expect(drain(events)).rejects.toMatchObject({
        code: "timeout",
        message: expect.stringContaining("30 s"),
      });
      clock.advance(29_000);
      clock.advance(2_000);
      await ended;
    });
  });
});

function isRun(path: string): boolean {
  return path.endsWith("/Run") || path.endsWith("/RunSSE");
}

async function drain(events: AsyncIterator<readonly TurnEvent[]>): Promise<void> {
  while ((await events.next()).done !== true);
}

/** Waits until the simulator has sent something more on its open streams. */
async function heartbeatFrom(from: Simulator): Promise<void> {
  const before = from.stats().bytesOut;
  await expect.poll(() => from.stats().bytesOut, { interval: 5 }).toBeGreaterThan(before);
}
