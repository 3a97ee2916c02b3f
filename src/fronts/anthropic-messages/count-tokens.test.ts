import { describe, expect, it } from "vitest";
import { clientRequest } from "../../../testing/clients/client-request.js";
import { countTokens } from "./count-tokens.js";

const messages = [{ role: "user", content: "x".repeat(400) }];

const count = (body: object) => countTokens.answer(clientRequest(body));

describe("a count of tokens", () => {
  it("needs no limit for the answer, and grows with everything that would be sent", async () => {
    const few = await count({ model: "auto", messages });
    expect(few).toEqual({ body: { input_tokens: 100 }, headers: { "x-curlew-usage": "estimated" } });
    const tools = [{ name: "bash", description: "y".repeat(400), input_schema: { type: "object" } }];
    const more = await count({ model: "auto", messages, tools, system: "z".repeat(400) });
    expect(more.body).toEqual({ input_tokens: expect.toSatisfy((tokens) => tokens > 200) });
  });

  it("refuses what an answer would refuse", () => {
    expect(() => count({ model: "auto", messages: [] })).toThrowError(
      expect.objectContaining({ code: "missing_messages" }),
    );
    expect(() => count({ model: "auto" })).toThrowError(expect.objectContaining({ param: "messages" }));
  });
});
