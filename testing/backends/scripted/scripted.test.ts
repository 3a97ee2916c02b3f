import { describe, expect, it } from "vitest";
import { describeBackend } from "../../../src/backends/backend.cases.js";
import { collect } from "../../../src/turn/collect.js";
import { GatewayError } from "../../../src/turn/error.js";
import { playDirectives, type ScriptStep, scriptedBackend, startContext, userTurn } from "./index.js";

describeBackend("scripted", {
  start: () => ({ backend: scriptedBackend({ steps: playDirectives }), stop: () => {} }),
  skips: [
    {
      cases: [
        "system prompt",
        "transcript of earlier turns",
        "second turn",
        "image",
        "tools",
        "parallel tools",
        "tools in two rounds",
        "error: unknown model",
      ],
      reason: "A script has no model that could read its messages, or call anything.",
    },
    { cases: ["Unicode cut at odd places"], reason: "There is no wire that could cut anything." },
  ],
});

const context = startContext({ requestId: "r1" });

describe("a scripted backend", () => {
  it("plays its batches for every exchange and remembers the turns", async () => {
    const backend = scriptedBackend({ steps: [[{ type: "text", delta: "hi" }], [{ type: "finish", reason: "stop" }]] });
    for (const text of ["first", "second"]) {
      const { text: heard } = await collect(backend.start(userTurn(text), context).events());
      expect(heard).toBe("hi");
    }
    expect(backend.exchanges.map(({ turn }) => turn)).toEqual([userTurn("first"), userTurn("second")]);
    expect(backend.exchanges.map(({ pulls }) => pulls)).toEqual([2, 2]);
  });

  it("takes only as many steps as are pulled, so a script may be endless", async () => {
    const endless = function* (): Iterable<ScriptStep> {
      for (;;) yield [{ type: "text", delta: "x" }];
    };
    const backend = scriptedBackend({ steps: endless });
    const events = backend.start(userTurn(""), context).events()[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    expect(backend.exchanges[0]?.pulls).toBe(2);
  });

  it("waits and fails where the script says so", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const fail = new GatewayError("overloaded", "Busy.");
    const backend = scriptedBackend({ steps: [{ waitFor: () => gate }, [{ type: "text", delta: "a" }], { fail }] });
    const events = backend.start(userTurn(""), context).events()[Symbol.asyncIterator]();
    const first = events.next();
    expect(backend.exchanges[0]?.pulls).toBe(0);
    go();
    expect((await first).value).toEqual([{ type: "text", delta: "a" }]);
    await expect(events.next()).rejects.toBe(fail);
    expect((await events.next()).done).toBe(true);
  });

  it("remembers how it was closed and what was answered", async () => {
    const backend = scriptedBackend({ steps: [] });
    const exchange = backend.start(userTurn(""), context);
    exchange.answer({ callId: "c1", content: [], isError: false });
    exchange.close("superseded");
    exchange.close("shutdown");
    const [seen] = backend.exchanges;
    expect(seen?.answers).toEqual([{ callId: "c1", content: [], isError: false }]);
    expect([seen?.closedWith, await seen?.closed]).toEqual(["superseded", "superseded"]);
  });

  it("ends without an error when the gateway itself has reached a limit", async () => {
    const exchange = scriptedBackend({ steps: [[{ type: "text", delta: "a" }]] }).start(userTurn(""), context);
    exchange.close("limit-reached");
    expect((await collect(exchange.events())).text).toBe("");
  });
});
