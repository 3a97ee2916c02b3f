import { describe, expect, it } from "vitest";
import { scriptedBackend, userTurn } from "../../testing/backends/scripted/index.js";
import { gatewaySettings, makeGateway } from "../../testing/gateway/make-gateway.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { newRecord } from "../events/index.js";
import { createMemoryStore } from "../store/index.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { Message, Turn } from "../turn/turn.js";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const says = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const turnOf = (messages: readonly Message[], rest: Partial<Turn> = {}) => userTurn("", { messages, ...rest });
const hello: Batch[] = [[{ type: "text", delta: "Hello" }], [{ type: "finish", reason: "stop" }]];

/** 400 characters, which are 100 tokens. */
const long = "word".repeat(100);
const history = [user(long), says(long)];
const coldTurn = turnOf([...history, user("go on")]);

function setUp(confirmCold: number, script: Parameters<typeof scriptedBackend>[0] = { steps: hello }) {
  const clock = new ManualClock();
  const backend = scriptedBackend(script);
  const gateway = makeGateway(backend, { clock, settings: { ...gatewaySettings, confirmCold } });
  const { signal } = new AbortController();
  const run = async (turn: Turn) => {
    const { events, continuity } = await gateway.run(turn, { record: newRecord("g", "r", 0), signal });
    await collect(events);
    return continuity;
  };
  const forecast = (turn: Turn) => gateway.forecast(turn, { caller: "" });
  const refusalOf = (turn: Turn) => run(turn).catch((thrown: unknown) => GatewayError.from(thrown));
  return { clock, backend, gateway, run, forecast, refusalOf };
}

describe("a forecast", () => {
  it.each([
    ["a first message", turnOf([user(long)]), "cold:new", 0],
    ["a history from elsewhere", coldTurn, "cold:new", 200],
    ["two new messages after such a history", turnOf([...history, user(long), user(long)]), "cold:new", 200],
  ])("of %s counts what the model had before", async (_, turn, continuity, tokensSentAgain) => {
    const { forecast } = setUp(0);
    expect(await forecast(turn)).toEqual({ continuity, tokensSentAgain, needsConfirmation: false });
  });

  it("asks no backend and reads the store without a trace", async () => {
    const touched: string[] = [];
    const store = createMemoryStore({ now: () => 1 });
    const watched = new Proxy(store, {
      get(target, name) {
        touched.push(String(name));
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const backend = scriptedBackend({ steps: hello });
    const gateway = makeGateway(backend, { store: watched });
    touched.length = 0;
    await gateway.forecast(coldTurn, { caller: "" });
    expect(new Set(touched)).toEqual(new Set(["peekCheckpoint", "getNote"]));
    expect(backend.exchanges).toEqual([]);
    expect(gateway.continuity).toEqual({});
  });

  it("refuses what the turn itself would be refused for", async () => {
    const { forecast } = setUp(0);
    const impossible = turnOf([user("hi")], { toolChoice: { type: "tool", name: "missing" } });
    await expect(forecast(impossible)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("a limit of what is sent again without asking", () => {
  it("is off by default, and leaves turns below it alone", async () => {
    expect(await setUp(0).run(coldTurn)).toBe("cold:new");
    expect(await setUp(200).run(coldTurn)).toBe("cold:new");
  });

  it("refuses a turn above it once, before anything is asked, and lets the next request pass after 2 s", async () => {
    const { clock, backend, run, forecast, refusalOf } = setUp(199);
    expect(await forecast(coldTurn)).toMatchObject({ needsConfirmation: true });
    const refusal = await refusalOf(coldTurn);
    expect(refusal).toMatchObject({ code: "confirm_cold", shouldClientRetry: false });
    expect(String(refusal)).toContain("about 200 tokens");
    clock.advance(1_999);
    expect(await refusalOf(coldTurn)).toMatchObject({ code: "confirm_cold" });
    expect(backend.exchanges).toEqual([]);
    clock.advance(1);
    expect(await forecast(coldTurn)).toMatchObject({ needsConfirmation: false });
    expect(await run(coldTurn)).toBe("cold:new");
  });

  it("does not count its refusals as failures, however many they are", async () => {
    const { run, refusalOf, clock } = setUp(199);
    for (let at = 0; at < 5; at++) {
      expect(await refusalOf(coldTurn)).toMatchObject({ code: "confirm_cold", isFromBreaker: false });
    }
    clock.advance(2_000);
    expect(await run(coldTurn)).toBe("cold:new");
  });
});
