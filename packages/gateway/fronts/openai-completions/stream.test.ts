import { describe, expect, it } from "vitest";
import { parseSse } from "../../../../testing/clients/parse-sse.js";
import { counted, finished, said, thought } from "../../../../testing/samples/sample-events.js";
import { collect } from "../../turn/collect.js";
import type { Batch } from "../../turn/event.js";
import { FrameText } from "../frame.js";
import { CompletionStreamEncoder, writeReply } from "./stream.js";

const head = { id: "x1", createdMs: 1_700_000_000_999, model: "auto" };
const written = { id: "cmpl-x1", object: "text_completion", created: 1_700_000_000, model: "auto" };
const events = [thought("hm"), said(" a"), said(" time"), counted(), finished("length")];
const choice = (text: string, finish_reason: string | null = null) => ({
  ...written,
  choices: [{ index: 0, text, logprobs: null, finish_reason }],
});
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function encode(options: { includeUsage: boolean; echo: string }): unknown[] {
  const out = new FrameText();
  const encoder = new CompletionStreamEncoder(options, head, out);
  encoder.push(events);
  encoder.end();
  return parseSse(out.take()).map(({ data }) => (data === "[DONE]" ? data : JSON.parse(data)));
}

describe("a completion", () => {
  it("is streamed as pieces of text", () => {
    expect(encode({ includeUsage: false, echo: "" })).toEqual([
      choice(" a"),
      choice(" time"),
      choice("", "length"),
      "[DONE]",
    ]);
  });

  it("is streamed with its prompt and its usage when asked to", () => {
    expect(encode({ includeUsage: true, echo: "Once" })).toMatchObject([
      { ...choice("Once"), usage: null },
      { ...choice(" a"), usage: null },
      { ...choice(" time"), usage: null },
      { ...choice("", "length"), usage: null },
      { ...written, choices: [], usage },
      "[DONE]",
    ]);
  });

  it("is the same as a whole reply", async () => {
    const whole = async function* (): AsyncIterable<Batch> {
      yield events;
    };
    const reply = writeReply(await collect(whole()), { includeUsage: false, echo: "Once" }, head);
    expect(reply).toMatchObject({ ...choice("Once a time", "length"), usage });
  });
});
