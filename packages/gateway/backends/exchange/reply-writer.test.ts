import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { collect } from "../../turn/collect.js";
import { GatewayError } from "../../turn/error.js";
import type { CheckpointEvent } from "../../turn/event.js";
import { repliesWith } from "./replies.cases.js";
import type { ReplyWriter } from "./reply-writer.js";

const QUIET_MS = 100;
const call = { id: "c", upstreamId: "1", name: "tool", input: "{}" };

let clock: ManualClock;
let writer: ReplyWriter;
let pauses: number;
let takes: number;
beforeEach(() => {
  clock = new ManualClock();
  pauses = takes = 0;
  const counts = { onTaken: () => void takes++, onPause: () => void pauses++ };
  writer = repliesWith({ clock, quietMs: QUIET_MS, estimatedTokens: 100, ...counts });
});

describe("the replies of a turn", () => {
  it("hold the text between the calls, each its own, with its usage", async () => {
    const first = writer.read();
    writer.say("text", "twelve chars");
    writer.call(call);
    expect(writer.canPause).toBe(true);
    writer.pause();
    expect([writer.canPause, writer.isEmpty, writer.hasSpoken, writer.callsSent]).toEqual([false, true, true, 0]);
    writer.say("text", "said without a reader");
    const second = writer.read();
    writer.finish("stop", Uint8Array.of(7));
    expect(await collect(first)).toMatchObject({
      text: "twelve chars",
      calls: [{ id: "c", input: "{}" }],
      finish: "tool-calls",
      usage: { inputTokens: 100, outputTokens: 5, estimated: true },
    });
    const events = [];
    for await (const batch of second) events.push(...batch);
    expect(events).toMatchObject([
      { type: "text", delta: "said without a reader" },
      { type: "checkpoint", state: Uint8Array.of(7), phase: "settled" },
      { type: "usage", usage: { inputTokens: 100, outputTokens: 6 }, turn: { inputTokens: 200, outputTokens: 11 } },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("merge untaken text of one kind into one event", async () => {
    const events = writer.read()[Symbol.asyncIterator]();
    writer.say("thinking", "hm");
    for (const delta of ["a", "b", "c"]) writer.write({ type: "text", delta });
    writer.say("thinking", "m");
    expect(writer.commit()).toBe(false);
    expect((await events.next()).value).toEqual([
      { type: "thinking", delta: "hm" },
      { type: "text", delta: "abc" },
      { type: "thinking", delta: "m" },
    ]);
    expect(takes).toBe(1);
  });

  it("are handed over piece by piece to a waiting reader", async () => {
    const events = writer.read()[Symbol.asyncIterator]();
    for (const delta of ["a", "b"]) {
      const next = events.next();
      writer.say("text", delta);
      expect(writer.commit()).toBe(true);
      expect((await next).value).toEqual([{ type: "text", delta }]);
    }
  });

  it("count characters, not bytes, and hold those that are not taken", async () => {
    const events = writer.read()[Symbol.asyncIterator]();
    writer.say("text", "Grüße—한국");
    writer.beginCall("c", "tool");
    writer.writeInput("c", '{"ü":1}');
    expect(writer.heldCharacters).toBe(19);
    expect(writer.meter.final().outputTokens).toBe(5);
    await events.next();
    expect(writer.heldCharacters).toBe(0);
    writer.write({ type: "checkpoint", state: new Uint8Array(), phase: "staged" });
    expect(writer.heldCharacters).toBe(0);
    writer.say("text", "a");
    expect(writer.heldCharacters).toBe(1);
  });

  it("count the result of a tool as output, but not a checkpoint", () => {
    writer.write({ type: "checkpoint", state: new Uint8Array(), phase: "settled" });
    expect([writer.isEmpty, writer.hasSpoken]).toEqual([true, false]);
    writer.write({ type: "call-result", id: "c", summary: "done" });
    expect([writer.isEmpty, writer.hasSpoken]).toEqual([false, true]);
  });
});

describe("a pause", () => {
  it("comes when no further call has come for the quiet time", async () => {
    const reply = collect(writer.read());
    writer.call(call);
    clock.advance(QUIET_MS - 1);
    writer.call({ ...call, id: "d" });
    clock.advance(QUIET_MS - 1);
    expect(pauses).toBe(0);
    clock.advance(1);
    expect(pauses).toBe(1);
    expect((await reply).calls.map(({ id }) => id)).toEqual(["c", "d"]);
    clock.advance(10 * QUIET_MS);
    expect(pauses).toBe(1);
  });

  it("waits for a reader, and restarts the quiet period with it", async () => {
    writer.call(call);
    clock.advance(10 * QUIET_MS);
    expect(pauses).toBe(0);
    const reply = collect(writer.read());
    clock.advance(QUIET_MS - 1);
    expect(pauses).toBe(0);
    clock.advance(1);
    expect((await reply).finish).toBe("tool-calls");
  });

  it("does not come without a call, nor in the middle of one", () => {
    writer.read();
    writer.say("text", "words");
    writer.awaitQuiet();
    clock.advance(QUIET_MS);
    writer.call(call);
    writer.beginCall("d", "tool");
    expect(writer.canPause).toBe(false);
    clock.advance(QUIET_MS);
    expect(pauses).toBe(0);
    writer.endCall("d");
    writer.awaitQuiet();
    clock.advance(QUIET_MS);
    expect(pauses).toBe(1);
  });

  it("does not come while quiet is ignored", () => {
    writer.read();
    writer.call(call);
    writer.ignoreQuiet();
    clock.advance(QUIET_MS);
    expect(pauses).toBe(0);
    expect(writer.canPause).toBe(true);
  });

  it("does not come after the end, even with a reader", async () => {
    writer.call(call);
    writer.fail(new GatewayError("upstream_error", "Lost."));
    const reply = collect(writer.read());
    clock.advance(QUIET_MS);
    expect(pauses).toBe(0);
    await expect(reply).rejects.toThrow("Lost.");
  });
});

describe("an unread checkpoint", () => {
  const checkpoint = (state: number): CheckpointEvent => ({
    type: "checkpoint",
    state: Uint8Array.of(state),
    phase: "staged",
  });
  const pauseAtCall = () => {
    writer.read();
    writer.call(call);
    writer.pause();
  };
  const watch = () => {
    const seen: CheckpointEvent[] = [];
    writer.onUnreadCheckpoint((each) => seen.push(each));
    return seen;
  };

  it("is reported when it comes, and stays for the next reader", () => {
    pauseAtCall();
    const seen = watch();
    writer.write(checkpoint(1));
    writer.write(checkpoint(2));
    expect(seen).toEqual([checkpoint(1), checkpoint(2)]);
    expect(writer.batch).toEqual(seen);
  });

  it("is reported at once if it has come already, only the newest", () => {
    pauseAtCall();
    writer.write(checkpoint(1));
    writer.write(checkpoint(2));
    expect(watch()).toEqual([checkpoint(2)]);
  });

  it("is not reported after further words or calls, which it holds too", () => {
    pauseAtCall();
    const seen = watch();
    writer.say("text", "more");
    writer.write(checkpoint(1));
    expect([...seen, ...watch()]).toEqual([]);
  });

  it("is not reported to an earlier watcher when there is a reader again", () => {
    pauseAtCall();
    const seen = watch();
    writer.read();
    writer.write(checkpoint(1));
    expect([...seen, ...watch()]).toEqual([]);
  });
});
