import { describe, expect, it } from "vitest";
import { callOf, settled, text, thinking } from "../../../testing/samples/sample-turns.js";
import { sampleUsage as usage } from "../../../testing/samples/sample-usage.js";
import { collect } from "./collect.js";
import { GatewayError } from "./error.js";
import type { Batch } from "./event.js";

async function* stream(...batches: Batch[]): AsyncIterable<Batch> {
  yield* batches;
}

describe("collecting a reply", () => {
  it("joins text and thinking and keeps usage and finish", async () => {
    const result = await collect(
      stream(
        [thinking("h"), { type: "thinking", delta: "m", signature: "s" }],
        [text("Hel")],
        [text("lo"), { type: "usage", usage: { ...usage, estimated: true } }, { type: "usage", usage }, settled],
        [{ type: "finish", reason: "length", stopSequence: "END" }],
      ),
    );
    expect(result).toEqual({
      blocks: [
        { type: "thinking", text: "hm", signature: "s" },
        { type: "text", text: "Hello" },
      ],
      text: "Hello",
      thinking: "hm",
      calls: [],
      usage,
      finish: "length",
      stopSequence: "END",
    });
  });

  it("keeps the client's calls in order and leaves out other calls", async () => {
    const { calls, finish } = await collect(
      stream(
        [
          { type: "call", id: "b", name: "two", runs: "client" },
          { type: "call-input", id: "b", delta: '{"x"' },
          { type: "call", id: "s", name: "shell", runs: "backend" },
          { type: "call-input", id: "s", delta: "hidden" },
          { type: "call-result", id: "s", summary: "done" },
        ],
        [
          { type: "call-input", id: "b", delta: ":1}" },
          { type: "call-end", id: "b" },
          { type: "call", id: "a", name: "one", runs: "client" },
          { type: "call-end", id: "a" },
          { type: "finish", reason: "tool-calls" },
        ],
      ),
    );
    expect(calls).toEqual([
      { type: "call", id: "b", name: "two", input: '{"x":1}' },
      { type: "call", id: "a", name: "one", input: "" },
    ]);
    expect(finish).toBe("tool-calls");
  });

  it("keeps everything in the order in which it came", async () => {
    const result = await collect(
      stream([text("a")], callOf("1", "one"), [thinking("b")], [text("c")], [thinking("d")]),
    );
    expect(result.blocks).toEqual([
      { type: "text", text: "a" },
      { type: "call", id: "1", name: "one", input: "{}" },
      { type: "thinking", text: "b" },
      { type: "text", text: "c" },
      { type: "thinking", text: "d" },
    ]);
    expect([result.text, result.thinking]).toEqual(["ac", "bd"]);
  });

  it("reports stop for a reply without a finish", async () => {
    expect(await collect(stream())).toMatchObject({
      text: "",
      finish: "stop",
      usage: undefined,
      stopSequence: undefined,
    });
  });

  it("passes the error on", async () => {
    const error = new GatewayError("timeout", "Too slow.");
    const broken = async function* (): AsyncIterable<Batch> {
      yield [text("half")];
      throw error;
    };
    await expect(collect(broken())).rejects.toBe(error);
  });
});
