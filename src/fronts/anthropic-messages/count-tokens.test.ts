import { describe, expect, it } from "vitest";
import { countTokens } from "./count-tokens.js";

const messages = [{ role: "user", content: "x".repeat(400) }];

describe("a count of tokens", () => {
  it("needs no limit for the answer, and grows with everything that would be sent", () => {
    const few = countTokens({ model: "auto", messages });
    expect(few).toEqual({ input_tokens: 100 });
    const tools = [{ name: "bash", description: "y".repeat(400), input_schema: { type: "object" } }];
    const more = countTokens({ model: "auto", messages, tools, system: "z".repeat(400) });
    expect(more.input_tokens).toBeGreaterThan(200);
  });

  it("refuses what an answer would refuse", () => {
    expect(() => countTokens({ model: "auto", messages: [] })).toThrowError(
      expect.objectContaining({ code: "missing_messages" }),
    );
    expect(() => countTokens({ model: "auto" })).toThrowError(expect.objectContaining({ param: "messages" }));
  });
});
