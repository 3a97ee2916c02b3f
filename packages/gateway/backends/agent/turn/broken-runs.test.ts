import { createServer as createHttp1 } from "node:http";
import { createServer } from "node:http2";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Simulator } from "@curlew/simulator/index.js";
import { END, encodeEnvelope } from "@curlew/simulator/server/envelope.js";
import { AgentServerMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../../testing/backends/scripted/index.js";
import { makeAgentBackend } from "../../../../../testing/gateway/agent-backend.js";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { type CutKind, type CuttingRelay, startCuttingRelay } from "../../../../../testing/network/cutting-relay.js";
import { startHttp1CuttingRelay } from "../../../../../testing/network/http1-cutting-relay.js";
import { type LocalServer, listenLocally } from "../../../../../testing/network/local-server.js";
import { sampleProfile } from "../../../../../testing/samples/sample-profile.js";
import { sampleTokens } from "../../../../../testing/samples/sample-tokens.js";
import { startSimulator } from "../../../../../testing/simulator/strict-simulator.js";
import type { TokenSource } from "../../../account/token.js";
import { collect } from "../../../turn/collect.js";
import type { TurnEvent } from "../../../turn/event.js";
import type { Exchange } from "../../backend.js";
import type { AgentBackend } from "../index.js";

/** How long a reply waits for a call that the staged checkpoint names. */
const NAMED_CALL_MS = 1_500;

let simulator: Simulator;
let relay: CuttingRelay;
let backend: AgentBackend;
let clock: ManualClock;

const tools = ["a", "b"].map((name) => ({ name, description: "", inputSchema: { type: "object" } }));

function start(words: string): Exchange {
  return backend.start(userTurn(words, { tools }), startContext({ callable: tools }));
}

/** The position of a message's first occurrence in an uncut run of these words, counted from 1. */
async function firstPosition(words: string, name: string): Promise<number> {
  relay.plan();
  await finish(start(words));
  return relay.envelopes.indexOf(name) + 1;
}

/** Reads replies and answers calls up to the end. */
async function finish(exchange: Exchange): Promise<{ text: string; calls: string[] }> {
  let text = "";
  const calls: string[] = [];
  for (;;) {
    const reply = await collect(exchange.events());
    text += reply.text;
    calls.push(...reply.calls.map(({ name, input }) => `${name} ${input}`));
    if (reply.finish === "stop") return { text, calls };
    for (const { id } of reply.calls) exchange.answer(answer(id));
  }
}

type ServerMessage = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;

/** A server that sends the same answer to every request. */
async function startFixedServer(transport: "h2" | "h1", ...said: ServerMessage[]): Promise<LocalServer> {
  const frames = said.map((message) =>
    encodeEnvelope(0, toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }))),
  );
  const all = Buffer.concat([...frames, encodeEnvelope(END, Buffer.from("{}"))]);
  return listenLocally(
    transport === "h1"
      ? createHttp1((request, response) => {
          request.resume();
          response.end(request.url?.endsWith("/RunSSE") ? all : "");
        })
      : createServer().on("stream", (stream) => {
          stream.on("error", () => {});
          stream.respond({ ":status": 200 });
          stream.end(all);
        }),
  );
}

const answer = (callId: string) => ({ callId, content: [{ type: "text" as const, text: "r" }], isError: false });

describe.each(["h2", "h1"] as const)("over %s", (transport) => {
  beforeEach(async () => {
    simulator = await startSimulator({ transport });
    relay = transport === "h2" ? await startCuttingRelay() : await startHttp1CuttingRelay();
    relay.connectTo(simulator.url);
    clock = new ManualClock(Date.now());
    backend = makeAgentBackend(simulator.url, { settings: { agentUrl: relay.url }, clock });
  });
  afterEach(async () => {
    backend.close();
    await relay.close();
    await simulator.close();
  });

  describe("a stream that ends cleanly but too early", () => {
    it.each(["end", "end-frame"] satisfies CutKind[])("(%s) is retried before the model has spoken", async (kind) => {
      relay.plan({ envelope: await firstPosition("[[say hi]]", "stepStarted"), kind });
      const text = collect(start("[[say hi]]").events());
      await expect.poll(() => clock.sleeps).toBe(1);
      clock.advance(1_000);
      expect((await text).text).toBe("hi");
    });

    it("after the end of the turn keeps the whole answer, and no checkpoint lacks it", async () => {
      const words = "[[say all of it]]";
      const turnEnd = await firstPosition(words, "turnEnded");
      // The old checkpoint comes once more, then the final one twice.
      for (const [offset, kept] of [
        [1, 1],
        [2, 1],
        [3, 2],
      ] as const) {
        relay.plan({ envelope: turnEnd + offset, kind: "end-frame" });
        const events: TurnEvent[] = [];
        for await (const batch of start(words).events()) events.push(...batch);
        expect(events.at(-1)).toEqual({ type: "finish", reason: "stop" });
        expect(events.filter(({ type }) => type === "checkpoint")).toHaveLength(kept);
      }
    });

    it.each(["reset", "error"] satisfies CutKind[])(
      "or is lost (%s) after the end of the turn is not an error",
      async (kind) => {
        relay.plan({ envelope: (await firstPosition("[[say hi]]", "turnEnded")) + 1, kind });
        expect(await collect(start("[[say hi]]").events())).toMatchObject({ text: "hi", finish: "stop" });
      },
    );
  });

  describe("a run that is lost once the model has announced a call", () => {
    it("is not retried: the call may have been the model's first output", async () => {
      const words = "[[call a {}]] then [[say done]]";
      relay.plan({ envelope: (await firstPosition(words, "toolCallStarted")) + 1, kind: "reset" });
      const { runs } = simulator.stats();
      await expect(collect(start(words).events())).rejects.toMatchObject({ code: "upstream_error" });
      expect(clock.sleeps).toBe(0);
      expect(simulator.stats().runs).toBe(runs + 1);
    });
  });

  describe("a call that breaks off half sent", () => {
    const words = '[[partial]] [[call a {"text":"some words"}]] then [[say done]]';

    it("is one clear error when no checkpoint knows of it", async () => {
      relay.plan({ envelope: await firstPosition(words, "toolCallStarted"), kind: "reset" });
      await expect(finish(start(words))).rejects.toMatchObject({ code: "upstream_error" });
      expect(relay.envelopes.filter((name) => name === "exec requestContextArgs")).toHaveLength(1);
    });

    it("is the same error when the newest checkpoint waits for another call", async () => {
      const toolCall = { tool: { case: "mcpToolCall" as const, value: { args: { name: "a", toolCallId: "half" } } } };
      const half = { case: "partialToolCall" as const, value: { callId: "half", toolCall, argsTextDelta: '{"text"' } };
      const other = await startFixedServer(
        transport,
        { case: "conversationCheckpointUpdate", value: { pendingToolCalls: ['{"toolCallId":"another"}'] } },
        { case: "interactionUpdate", value: { message: half } },
      );
      relay.connectTo(other.url);
      relay.plan();
      await expect(finish(start(words))).rejects.toMatchObject({ code: "upstream_error" });
      expect(relay.envelopes.filter((name) => name === "end")).toHaveLength(1);
      await other.close();
    });

    it.each([
      { name: "at once", words, message: "exec mcpArgs" },
      { name: "behind others", words: `[[call b {}]] [[gap 50]] ${words}`, message: "partialToolCall" },
    ])("is completed when the next stream asks for it, $name", async ({ words: both, message }) => {
      const position = await firstPosition(both, message);
      relay.plan({ envelope: position + (message === "partialToolCall" ? 1 : 0), kind: "reset" });
      const { text, calls } = await finish(start(both));
      expect(relay.hasCut).toBe(true);
      expect(calls).toContain('a {"text":"some words"}');
      expect(text).toContain("done");
    });
  });

  describe("a run that waits for results", () => {
    it("is resumed under another id when it is lost, and its checkpoints carry that id", async () => {
      simulator.configure({ refuseReusedIds: true });
      const exchange = start("[[call a {}]] then [[say done]]");
      const { calls } = await collect(exchange.events());
      relay.cutNow("reset");
      await expect.poll(() => simulator.stats().conversations).toBe(2);
      for (const { id } of calls) exchange.answer(answer(id));
      const events: TurnEvent[] = [];
      for await (const batch of exchange.events()) events.push(...batch);
      expect(events.at(-1)).toEqual({ type: "finish", reason: "stop" });
      const last = events.findLast((event) => event.type === "checkpoint");
      expect(last?.conversationId).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.stringify(simulator.requests(5))).toContain(`"conversationId":"${last?.conversationId}"`);
    });

    it("is resumed under the same id if the profile says that Cursor accepts it", async () => {
      backend.close();
      const conversations = { idAfterOpenCall: "same" as const };
      const settings = { agentUrl: relay.url, profile: { ...sampleProfile, conversations } };
      backend = makeAgentBackend(simulator.url, { settings, clock });
      const exchange = start("[[call a {}]] then [[say done]]");
      const { calls } = await collect(exchange.events());
      relay.cutNow("reset");
      await expect.poll(() => simulator.stats().runs).toBe(2);
      for (const { id } of calls) exchange.answer(answer(id));
      expect((await finish(exchange)).text).toContain("done");
      expect(simulator.stats().conversations).toBe(1);
    });

    it("has no calls left when the server ends the turn without asking them again", async () => {
      const turnEnded = { case: "turnEnded" as const, value: {} };
      const other = await startFixedServer(transport, { case: "interactionUpdate", value: { message: turnEnded } });
      const exchange = start("[[call a {}]] then [[say done]]");
      await collect(exchange.events());
      expect(exchange.openCalls).toHaveLength(1);
      relay.connectTo(other.url);
      relay.cutNow("reset");
      expect(await collect(exchange.events())).toMatchObject({ text: "", finish: "stop" });
      expect(exchange.openCalls).toEqual([]);
      await other.close();
    });

    it.each(["reset", "end", "end-frame", "error"] satisfies CutKind[])(
      "and breaks off (%s) takes them before and after it is resumed",
      async (kind) => {
        for (const isResumed of [false, true]) {
          const exchange = start("[[call a {}]] [[call b {}]] then [[say done]]");
          const { calls } = await collect(exchange.events());
          expect(calls).toHaveLength(2);
          const { runs } = simulator.stats();
          relay.cutNow(kind);
          if (isResumed) await expect.poll(() => simulator.stats().execsAsked).toBe(6);
          expect(exchange.openCalls.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
          for (const { id } of calls) exchange.answer(answer(id));
          expect(await finish(exchange)).toEqual({ text: "Result of a: r\nResult of b: r\ndone", calls: [] });
          expect(simulator.stats().runs).toBe(runs + 1);
          simulator.reset();
        }
      },
    );

    it("still collects the next group in one reply when it has answered calls from known results", async () => {
      const words = '[[call a {}]] then [[call b {}]] [[gap 100]] [[call a {"n":2}]] then [[say done]]';
      relay.plan({ envelope: await firstPosition("[[call a {}]] [[say done]]", "toolCallCompleted"), kind: "reset" });
      const exchange = start(words);
      const first = await collect(exchange.events());
      exchange.answer(answer(first.calls[0]?.id ?? ""));
      const second = await collect(exchange.events());
      expect(relay.hasCut).toBe(true);
      expect(second.calls).toMatchObject([{ name: "b" }, { name: "a" }]);
      for (const { id } of second.calls) exchange.answer(answer(id));
      expect((await finish(exchange)).text).toContain("done");
    });

    it("resumes from its checkpoint when a reply ends while the next stream is being opened", async () => {
      const tokens = sampleTokens(simulator.url, clock);
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let isCut = false;
      let asked = 0;
      const get: TokenSource["get"] = async (signal) => {
        if (isCut) {
          asked++;
          await gate;
        }
        return tokens.get(signal);
      };
      backend.close();
      const { account, state, expiresMs, renew } = tokens;
      const slow: TokenSource = { account, state, expiresMs, current: () => undefined, get, renew };
      backend = makeAgentBackend(simulator.url, { settings: { agentUrl: relay.url }, clock, tokens: slow });
      const exchange = start("[[call a {}]] [[gap 100]] [[call b {}]] then [[say done]]");
      const events = exchange.events();
      await expect.poll(() => exchange.openCalls, { interval: 10 }).toHaveLength(1);
      clock.advance(NAMED_CALL_MS);
      const first = await collect(events);
      await expect.poll(() => exchange.openCalls).toHaveLength(2);
      isCut = true;
      relay.cutNow("reset");
      await expect.poll(() => asked).toBe(1);
      exchange.answer(answer(first.calls[0]?.id ?? ""));
      const next = exchange.events();
      clock.advance(250);
      const second = await collect(next);
      expect(second).toMatchObject({ calls: [{ name: "b" }], finish: "tool-calls" });
      open();
      exchange.answer(answer(second.calls[0]?.id ?? ""));
      const { text } = await finish(exchange);
      expect(text).toContain("done");
      expect(text).not.toContain("simulated");
    });

    it("keeps a call that comes between two replies for the next one, however long that takes", async () => {
      const exchange = start("[[call a {}]] [[gap 400]] [[call b {}]] then [[say done]]");
      const events = exchange.events();
      await expect.poll(() => exchange.openCalls, { interval: 10 }).toHaveLength(1);
      clock.advance(NAMED_CALL_MS);
      const first = await collect(events);
      expect(first.calls).toMatchObject([{ name: "a" }]);
      await expect.poll(() => exchange.openCalls).toHaveLength(2);
      clock.advance(10_000);
      exchange.answer(answer(first.calls[0]?.id ?? ""));
      const second = await collect(exchange.events());
      expect(second).toMatchObject({ calls: [{ name: "b" }], finish: "tool-calls" });
      exchange.answer(answer(second.calls[0]?.id ?? ""));
      expect((await finish(exchange)).text).toContain("done");
    });
  });
});
