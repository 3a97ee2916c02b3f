import { describe, expect, it } from "vitest";
import { clientRequest } from "../../../../testing/clients/client-request.js";
import type { SseEvent } from "../../../../testing/clients/parse-sse.js";
import { describeFront } from "../front.cases.js";
import { anthropicMessages, countTokens } from "./index.js";

function deltasOf(events: readonly SseEvent[], name: string): { text?: string; stop_reason?: string | null }[] {
  return events.filter(({ event }) => event === name).map(({ data }) => JSON.parse(data).delta);
}

describeFront("anthropic-messages", anthropicMessages, {
  body: {
    model: "some-model",
    max_tokens: 1_000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 5_000 },
    messages: [{ role: "user", content: "hi" }],
  },
  textsOf: (events) => deltasOf(events, "content_block_delta").map(({ text }) => text),
  textsOfReply: ({ content }: { content: { text?: string }[] }) => content.map(({ text }) => text),
  finishesOf: (events) => deltasOf(events, "message_delta").map(({ stop_reason }) => stop_reason),
  statuses: { shutting_down: 529, overloaded: 529, upstream_overloaded: 529 },
});

const messages = [{ role: "user", content: "x".repeat(400) }];

const count = (body: object) => countTokens.answer(clientRequest(body));

describe("a count of tokens", () => {
  it("does not need max_tokens, and grows with everything that would be sent", async () => {
    const few = await count({ model: "auto", messages });
    expect(few).toEqual({ body: { input_tokens: 100 }, headers: { "x-curlew-usage": "estimated" } });
    const tools = [{ name: "bash", description: "y".repeat(400), input_schema: { type: "object" } }];
    const more = await count({ model: "auto", messages, tools, system: "z".repeat(400) });
    expect(more.body).toEqual({ input_tokens: expect.toSatisfy((tokens) => tokens > 200) });
  });

  it("refuses the same requests as an answer", () => {
    expect(() => count({ model: "auto", messages: [] })).toThrowError(
      expect.objectContaining({ code: "missing_messages" }),
    );
    expect(() => count({ model: "auto" })).toThrowError(expect.objectContaining({ param: "messages" }));
  });
});
