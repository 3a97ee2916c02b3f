import { describe, expect, it } from "vitest";
import { collect } from "./collect.js";
import { GatewayError } from "./error.js";
import type { Batch, Usage } from "./event.js";

async function* stream(...batches: Batch[]): AsyncIterable<Batch> {
  yield* batches;
}

const usage: Usage = {
  inputTokens: 3,
  outputTokens: 2,
  cacheReadTokens: 1,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

describe("collecting a reply", () => {
  it("joins text and thinking and keeps usage and finish", async () => {
    const result = await collect(
      stream(
        [
          { type: "thinking", delta: "h" },
          { type: "thinking", delta: "m", signature: "s" },
        ],
        [{ type: "text", delta: "Hel" }],
        [
          { type: "text", delta: "lo" },
          { type: "usage", usage: { ...usage, estimated: true } },
          { type: "usage", usage },
          { type: "checkpoint", state: new Uint8Array(), phase: "settled" },
        ],
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

  it("keeps the client's calls in order and leaves out what others run", async () => {
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
    const { blocks, text, thinking } = await collect(
      stream(
        [{ type: "text", delta: "a" }],
        [
          { type: "call", id: "1", name: "one", runs: "client" },
          { type: "call-end", id: "1" },
        ],
        [{ type: "thinking", delta: "b" }],
        [{ type: "text", delta: "c" }],
        [{ type: "thinking", delta: "d" }],
      ),
    );
    expect(blocks).toEqual([
      { type: "text", text: "a" },
      { type: "call", id: "1", name: "one", input: "" },
      { type: "thinking", text: "b" },
      { type: "text", text: "c" },
      { type: "thinking", text: "d" },
    ]);
    expect([text, thinking]).toEqual(["ac", "bd"]);
  });

  it("says stop for a reply that forgot to finish", async () => {
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
      yield [{ type: "text", delta: "half" }];
      throw error;
    };
    await expect(collect(broken())).rejects.toBe(error);
  });
});
