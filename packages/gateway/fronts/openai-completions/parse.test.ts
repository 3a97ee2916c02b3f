import { describe, expect, it } from "vitest";
import { parseRequest } from "./parse.js";

const parse = (fields: object) => parseRequest({ body: { model: "m", prompt: "Once upon", ...fields } });

describe("a prompt", () => {
  it.each(["Once upon", ["Once upon"]])("becomes a user message, and the model must continue it: %j", (prompt) => {
    const { turn, wantsStream, request } = parse({ prompt });
    expect(turn).toEqual({
      model: "m",
      system: expect.stringContaining("complete"),
      messages: [{ role: "user", content: [{ type: "text", text: "Once upon" }] }],
      tools: [],
      toolChoice: { type: "auto" },
      parallelToolCalls: true,
      warnings: [],
    });
    expect({ wantsStream, request }).toEqual({ wantsStream: false, request: { includeUsage: false, echo: "" } });
  });

  it("has only the limits of its request", () => {
    expect(parse({}).turn).not.toHaveProperty("maxTokens");
    expect(parse({ max_tokens: 5, stop: ["\n", ""] }).turn).toMatchObject({ maxTokens: 5, stop: ["\n"] });
  });

  it("may stream, count usage and be echoed", () => {
    const { wantsStream, request } = parse({ stream: true, stream_options: { include_usage: true }, echo: true });
    expect({ wantsStream, request }).toEqual({ wantsStream: true, request: { includeUsage: true, echo: "Once upon" } });
  });

  it.each([
    [{ temperature: 0, user: "u" }, "temperature"],
    [{ top_p: 0.5, seed: 0 }, "top_p, seed"],
    [
      { presence_penalty: 1, frequency_penalty: 1, logit_bias: { 1: 1 } },
      "presence_penalty, frequency_penalty, logit_bias",
    ],
  ])("is answered with a warning for %j", (fields, named) => {
    expect(parse(fields).turn.warnings).toEqual([`Not supported here and ignored: ${named}.`]);
  });

  it("is answered without a warning for options that make no difference", () => {
    const neutral = { temperature: 1, top_p: null, n: 1, best_of: 1, suffix: "", logprobs: null, logit_bias: {} };
    expect(parse(neutral).turn.warnings).toEqual([]);
  });

  it.each([
    ["n", { n: 2 }],
    ["best_of", { best_of: 3 }],
    ["suffix", { suffix: "The end." }],
    ["logprobs", { logprobs: 0 }],
    ["prompt", { prompt: ["a", "b"] }],
    ["prompt", { prompt: [1, 2, 3] }],
    ["prompt", { prompt: [[1, 2], [3]] }],
  ])("is refused because of %s: %j", (param, fields) => {
    expect(() => parse(fields)).toThrowError(expect.objectContaining({ code: "unsupported_parameter", param }));
  });

  it.each([
    ["prompt", { prompt: "" }],
    ["prompt", { prompt: [] }],
    ["prompt", { prompt: [""] }],
    ["prompt", { prompt: null }],
    ["prompt", { prompt: undefined }],
    ["model", { model: "" }],
    ["max_tokens", { max_tokens: 0 }],
    ["echo", { echo: "yes" }],
  ])("is a bad request with a bad %s: %j", (param, fields) => {
    expect(() => parse(fields)).toThrowError(expect.objectContaining({ code: "invalid_request", param }));
  });
});
