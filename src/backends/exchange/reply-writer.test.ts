import { describe, expect, it } from "vitest";
import { collect } from "../../turn/collect.js";
import { ReplyWriter } from "./reply-writer.js";

const words = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const call = { id: "c", upstreamId: "1", name: "tool", input: "{}" };

describe("the replies of a turn", () => {
  it("hold what was said between the calls, each for itself, with what it took", async () => {
    const writer = new ReplyWriter(100);
    const first = writer.read();
    writer.update(words("twelve chars"));
    writer.call(call);
    expect(writer.canPause).toBe(true);
    writer.pause();
    expect([writer.canPause, writer.isEmpty, writer.hasSpoken]).toEqual([false, true, true]);
    writer.update(words("said while nobody reads"));
    expect(writer.canPause).toBe(false);
    const second = writer.read();
    writer.finish("stop", undefined);
    expect(await collect(first)).toMatchObject({
      text: "twelve chars",
      calls: [{ id: "c", input: "{}" }],
      finish: "tool-calls",
      usage: { inputTokens: 100, estimated: true },
    });
    expect(await collect(second)).toMatchObject({ text: "said while nobody reads", finish: "stop" });
    expect(writer.meter.turn.inputTokens).toBe(200);
    expect(writer.meter.turn.outputTokens).toBeGreaterThan(writer.meter.reply.outputTokens);
  });

  it("hold one event for words that came while nobody took any", async () => {
    const writer = new ReplyWriter(1);
    const events = writer.read()[Symbol.asyncIterator]();
    for (const word of ["a", "b", "c"]) writer.update(words(word));
    expect((await events.next()).value).toEqual([{ type: "text", delta: "abc" }]);
  });

  it("do not wait for a reader without end", () => {
    const writer = new ReplyWriter(1);
    writer.read();
    const megabyte = words("x".repeat(1024 * 1024));
    for (let count = 0; count < 16; count++) writer.update(megabyte);
    expect(() => writer.update(megabyte)).toThrow("its reader took nothing of it");
  });

  it("wait for a reader that takes its time, however much there is", async () => {
    const writer = new ReplyWriter(1);
    const events = writer.read()[Symbol.asyncIterator]();
    for (let count = 0; count < 20; count++) {
      writer.update(words("x".repeat(1024 * 1024)));
      await events.next();
    }
    expect(writer.meter.reply.outputTokens).toBe(5 * 1024 * 1024);
  });

  it("do not hold a failure that is told as their last line", async () => {
    const writer = new ReplyWriter(1);
    const events = writer.read()[Symbol.asyncIterator]();
    writer.update(words("So far.\n\nError: T: [unavailable] x"));
    expect((await events.next()).value).toEqual([{ type: "text", delta: "So far." }]);
    expect(writer.settle()).toBe("Error: T: [unavailable] x");
  });
});
