import { describe, expect, it } from "vitest";
import { type ScriptStep, scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { gatewayOver } from "../../../testing/gateway/make-gateway.js";
import {
  assistant,
  called,
  callOf,
  results,
  runContext,
  settled,
  stopped,
  text,
  tool,
  user,
} from "../../../testing/samples/sample-turns.js";
import type { BackendName } from "../backends/backend.js";
import { Backends, type Routing } from "../backends/choose/index.js";
import { createCatalogue } from "../models/index.js";
import { collect } from "../turn/collect.js";
import { type ErrorCode, GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import { RequestRecord } from "../turn/events/channels.js";
import type { Turn } from "../turn/turn.js";
import type { BackendWithModels } from "./services.js";

const says = (delta: string): Batch => [text(delta), { ...settled, state: Buffer.from(delta) }, stopped];
const fails = (code: ErrorCode): ScriptStep => ({ fail: new GatewayError(code, `Asked to fail: ${code}.`) });

/** A gateway whose backends play these scripts, one after the other. */
function setUp(scripts: Partial<Record<BackendName, Iterable<ScriptStep>[]>>, rest: Partial<Routing> = {}) {
  const backends = new Map<BackendName, ReturnType<typeof scriptedBackend>>();
  const problems: unknown[] = [];
  const accountBackends = new Backends<BackendWithModels>({
    routing: { usual: "agent", routes: {}, fallback: [], ...rest },
    open(name) {
      let runs = 0;
      const scripted = scriptedBackend({ steps: () => scripts[name]?.[runs++] ?? [] });
      backends.set(name, scripted);
      const backend = { ...scripted, name };
      return { backend, catalogue: createCatalogue({ fetchModels: backend.models }) };
    },
    now: () => 0,
  });
  const gateway = gatewayOver(accountBackends, { onProblem: (problem) => problems.push(problem) });
  const record = new RequestRecord("g", "r", 0);
  const run = async (turn: Partial<Turn> = {}) => {
    const reply = await gateway.run(userTurn("hi", turn), { ...runContext(), record });
    return { ...reply, ...(await collect(reply.events)) };
  };
  return { gateway, accountBackends, backends, problems, record, run };
}

describe("a backend that fails before its first event", () => {
  it("is replaced, with a warning, by the first fallback that answers", async () => {
    const scripts = {
      agent: [[fails("upstream_unreachable")]],
      sdk: [[fails("server_error")]],
      cli: [[says("hello")]],
    };
    const { run, problems } = setUp(scripts, { fallback: ["sdk", "cli"] });
    expect(await run()).toMatchObject({
      backend: "cli",
      text: "hello",
      warnings: ["The agent backend failed (upstream_unreachable), so the cli backend answers in its place."],
    });
    expect(problems).toMatchObject([{ code: "server_error" }]);
  });

  it("is the one reported when every fallback fails", async () => {
    const scripts = { agent: [[fails("timeout")]], cli: [[fails("cursor_login_required")]] };
    const { run, record, backends } = setUp(scripts, { fallback: ["cli"] });
    await expect(run()).rejects.toMatchObject({ code: "timeout" });
    expect([...backends.keys()]).toEqual(["agent", "cli"]);
    expect(record.backend).toBe("agent");
  });

  it("is not replaced once it has begun, even if the client has seen nothing", async () => {
    const scripts = { agent: [[[settled], fails("upstream_error")]], cli: [[says("never")]] };
    const { run, backends } = setUp(scripts, { fallback: ["cli"] });
    await expect(run()).rejects.toMatchObject({ code: "upstream_error" });
    expect([...backends.keys()]).toEqual(["agent"]);
  });
});

describe("the state of a conversation", () => {
  it("stays with the backend that made it", async () => {
    const scripts = { agent: [[says("one")]], cli: [[says("two")]] };
    const { run, backends } = setUp(scripts, { routes: { "defau*": "cli" } });
    await run({ messages: [user("a")] });
    const messages = [user("a"), assistant("one"), user("b")];
    expect(await run({ messages, model: "default" })).toMatchObject({
      backend: "cli",
      continuity: "cold:settings-changed",
    });
    expect(backends.get("cli")?.exchanges[0]).toMatchObject({ turn: { messages }, context: { state: undefined } });
  });

  it("sends results to the waiting run, even on a fallback backend", async () => {
    const calls: Batch = [...callOf("c1"), called];
    const scripts = { agent: [[fails("overloaded")], [says("never")]], cli: [[calls, says("seen")]] };
    const { run, backends, gateway } = setUp(scripts, { fallback: ["cli"] });
    const tools = [tool("tool")];
    expect(await run({ tools, messages: [user("a")] })).toMatchObject({ backend: "cli", finish: "tool-calls" });
    expect(gateway.parkedRuns).toBe(1);
    const messages = [user("a"), assistant("", "c1"), results("c1")];
    expect(await run({ tools, messages })).toMatchObject({ backend: "cli", continuity: "warm", text: "seen" });
    expect(backends.get("agent")?.exchanges).toHaveLength(1);
  });
});

it("tracks the health of each backend, ignoring failures that the request caused", async () => {
  const scripts = { agent: [[fails("overloaded")], [says("fine")], [fails("bad_request")]], cli: [[says("hello")]] };
  const { run, accountBackends } = setUp(scripts, { fallback: ["cli"] });
  const never = { auth: "unchecked", state: "unknown", lastSuccess: null, lastError: null };
  expect(accountBackends.health).toEqual({ agent: never, cli: never });
  const at = new Date(0).toISOString();
  await run();
  const lastError = { code: "overloaded", at };
  expect(accountBackends.health).toEqual({
    agent: { auth: "unchecked", state: "failing", lastSuccess: null, lastError },
    cli: { auth: "authenticated", state: "ok", lastSuccess: at, lastError: null },
  });
  await run();
  await run().catch(() => {});
  expect(accountBackends.health.agent).toEqual({ auth: "authenticated", state: "ok", lastSuccess: at, lastError });
});
