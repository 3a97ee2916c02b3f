import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { TurnEvent, TurnEvents } from "../turn/event.js";
import type { Backend, Exchange } from "./backend.js";
import { startContext, userTurn } from "./scripted/index.js";

export interface BackendUnderTest {
  backend: Backend;
  stop(): Promise<void> | void;
}

/** What every backend must do. The one under test answers the simulated model's directives (`[[say ...]]` and so on). */
export function describeBackend(name: string, makeBackend: () => Promise<BackendUnderTest> | BackendUnderTest): void {
  describe(`${name} as a backend`, () => {
    let backend: Backend;
    let stop: BackendUnderTest["stop"] = () => {};
    let started = 0;

    beforeAll(async () => {
      ({ backend, stop } = await makeBackend());
    });
    afterAll(() => stop());

    const start = (text: string): Exchange =>
      backend.start(userTurn(text), startContext({ requestId: `case-${started++}` }));

    it("delivers the text exactly", async () => {
      const text = 'Grüße, "world" \\ 🦆 — two  blanks,\n a line and a tab\t.';
      expect((await collect(start(`[[say ${text}]]`).events())).text).toBe(text);
    });

    it("delivers thinking before the text", async () => {
      const events = await flatten(start("[[think let me see]] [[say there it is]]").events());
      expect(joined(events, "thinking")).toBe("let me see");
      expect(joined(events, "text")).toBe("there it is");
      const lastThought = events.findLastIndex(({ type }) => type === "thinking");
      expect(lastThought).toBeLessThan(events.findIndex(({ type }) => type === "text"));
    });

    it("finishes exactly once, as the last event, and never hands out an empty batch", async () => {
      const events: TurnEvent[] = [];
      for await (const batch of start("[[say one two three]]").events()) {
        expect(batch.length).toBeGreaterThan(0);
        events.push(...batch);
      }
      expect(events.filter(({ type }) => type === "finish")).toEqual([{ type: "finish", reason: "stop" }]);
      expect(events.at(-1)?.type).toBe("finish");
    });

    it("reports the usage that the wire told", async () => {
      const { usage } = await collect(start("[[usage 1200 34 1000 20 7]] [[say counted]]").events());
      expect(usage).toEqual({
        inputTokens: 1200,
        outputTokens: 34,
        cacheReadTokens: 1000,
        cacheWriteTokens: 20,
        reasoningTokens: 7,
        estimated: false,
      });
    });

    it("tells what a reply has taken so far, by its own guess", async () => {
      const exchange = start("[[say just begun]] [[wait 60000]] [[say never]]");
      await untilError(exchange.events(), (event) => {
        if (event.type !== "text") return;
        const { usage, turn } = exchange.usageSoFar();
        expect(usage).toMatchObject({ estimated: true, outputTokens: expect.any(Number) });
        expect(usage.outputTokens).toBeGreaterThan(0);
        expect(turn).toEqual(usage);
        exchange.close("client-left");
      });
      expect(exchange.usageSoFar().usage.estimated).toBe(true);
    });

    it.each([
      ["permission_denied", "permission_denied"],
      ["invalid_argument", "bad_request"],
      ["unauthenticated", "cursor_login_required"],
    ])("throws %s before any text as the gateway's %s", async (told, code) => {
      const { events, error } = await untilError(start(`[[fail ${told}]]`).events());
      expect(joined(events, "text")).toBe("");
      expect(error.code).toBe(code);
    });

    it("throws an error after text only when the text was delivered", async () => {
      const { events, error } = await untilError(start("[[say so far so good]] [[fail permission_denied]]").events());
      expect(joined(events, "text")).toBe("so far so good");
      expect(events.some(({ type }) => type === "finish")).toBe(false);
      expect(error.code).toBe("permission_denied");
    });

    it.each([
      ["client-left", "canceled"],
      ["shutdown", "shutting_down"],
    ] as const)("ends a waiting reply when it is closed (%s)", async (reason, code) => {
      const exchange = start("[[say begun]] [[wait 60000]] [[say never]]");
      const { events, error } = await untilError(exchange.events(), (event) => {
        if (event.type === "text") exchange.close(reason);
      });
      expect(joined(events, "text")).toBe("begun");
      expect(error.code).toBe(code);
    });

    it("ends a reply that is closed before anyone listens", async () => {
      const exchange = start("[[wait 60000]] [[say never]]");
      exchange.close("client-left");
      expect((await untilError(exchange.events())).error.code).toBe("canceled");
    });

    it("does not mind being closed after the end, or twice", async () => {
      const exchange = start("[[say done]]");
      expect((await collect(exchange.events())).text).toBe("done");
      exchange.close("client-left");
      exchange.close("shutdown");
      expect((await collect(start("[[say still here]]").events())).text).toBe("still here");
    });

    it("keeps two exchanges apart", async () => {
      const left = start("[[say a1-]] [[wait 20]] [[say a2-]] [[wait 20]] [[say a3]]");
      const right = start("[[wait 10]] [[say b1-]] [[wait 20]] [[say b2-]] [[say b3]]");
      const [a, b] = await Promise.all([collect(left.events()), collect(right.events())]);
      expect([a.text, b.text]).toEqual(["a1-a2-a3", "b1-b2-b3"]);
    });

    it("lets one exchange be closed without harm to its neighbour", async () => {
      const closed = start("[[say x]] [[wait 60000]] [[say never]]");
      const other = start("[[say y1-]] [[wait 30]] [[say y2]]");
      const ended = untilError(closed.events());
      const text = collect(other.events());
      closed.close("client-left");
      expect((await ended).error.code).toBe("canceled");
      expect((await text).text).toBe("y1-y2");
    });

    it("loses nothing to a reader that takes its time", async () => {
      const said = Array.from({ length: 500 }, (_, index) => `word${index}`).join(" ");
      const events = start(`[[say ${said}]]`).events()[Symbol.asyncIterator]();
      let text = "";
      for (let result = await events.next(); !result.done; result = await events.next()) {
        text += joined(result.value, "text");
        await new Promise(setImmediate);
      }
      expect(text).toBe(said);
    });

    it("lists models, each with an id and a name", async () => {
      const models = await backend.models(AbortSignal.timeout(5_000));
      expect(models.length).toBeGreaterThan(0);
      for (const model of models) expect([model.id, model.name]).not.toContain("");
    });
  });
}

async function flatten(events: TurnEvents): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const batch of events) all.push(...batch);
  return all;
}

async function untilError(
  events: TurnEvents,
  onEvent: (event: TurnEvent) => void = () => {},
): Promise<{ events: TurnEvent[]; error: GatewayError }> {
  const seen: TurnEvent[] = [];
  try {
    for await (const batch of events) {
      seen.push(...batch);
      batch.forEach(onEvent);
    }
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { events: seen, error: thrown };
    throw thrown;
  }
  throw new Error("the events ended without an error");
}

function joined(events: readonly TurnEvent[], type: "text" | "thinking"): string {
  return events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");
}
