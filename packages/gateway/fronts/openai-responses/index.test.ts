import { describe, expect, it } from "vitest";
import { clientRequest, emptyStore } from "../../../../testing/clients/client-request.js";
import { sampleResult } from "../../../../testing/samples/sample-events.js";
import { describeFront } from "../front.cases.js";
import { compact, openaiResponses } from "./index.js";
import { parseRequest } from "./parse.js";

const last = ["response.completed", "response.incomplete", "response.failed"];

interface Reply {
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[];
}

describeFront("openai-responses", openaiResponses, {
  body: { model: "some-model", stream: true, input: "hi" },
  textsOf: (events) =>
    events
      .filter(({ event }) => event === "response.output_text.delta")
      .map(({ data }): string => JSON.parse(data).delta),
  textsOfReply: ({ output }: Reply) => output.flatMap(({ content = [] }) => content.map(({ text }) => text)),
  finishesOf: (events) => events.map(({ event }) => event).filter((event) => last.includes(event ?? "")),
});

const head = { id: "a1", model: "auto", createdMs: 1_700_000_000_999 };
const turnOf = (input: readonly object[]) => parseRequest({ body: { model: "auto", input }, store: emptyStore }).turn;
const item = (summary: string) => {
  const { output } = compact.reply(sampleResult(summary), undefined, head, 0) as { output: object[] };
  return output[0] ?? {};
};

describe("compacting", () => {
  const tools = [{ type: "function", name: "ls" }];

  it("asks for a summary in the same conversation, with the same tools and without a call", () => {
    const body = { model: "auto", instructions: "Be kind.", input: "hi", tools, max_output_tokens: 5, stream: true };
    const { turn, wantsStream } = compact.parse(clientRequest(body));
    const plain = parseRequest({ body, store: emptyStore }).turn;
    expect(turn).toMatchObject({ system: "Be kind.", tools: plain.tools, toolChoice: { type: "none" } });
    expect(turn.messages.slice(0, -1)).toEqual(plain.messages);
    expect(JSON.stringify(turn.messages.at(-1))).toContain("summary");
    expect(turn).not.toHaveProperty("maxTokens");
    expect(wantsStream).toBe(false);
  });

  it("is refused in the background", () => {
    const body = { model: "auto", input: "hi", background: true };
    const refused = { code: "unsupported_parameter", param: "background" };
    expect(() => compact.parse(clientRequest(body))).toThrowError(expect.objectContaining(refused));
  });

  it("returns one item with the summary", () => {
    expect(compact.reply(sampleResult("Kim likes herons. 🦆"), undefined, head, 0)).toEqual({
      id: "resp_a1",
      object: "response.compaction",
      created_at: 1_700_000_000,
      output: [{ id: "cmp_a1_0", type: "compaction", encrypted_content: expect.stringMatching(/^curlew\./) }],
      usage: expect.objectContaining({ total_tokens: 0 }),
    });
  });

  it("fails without a summary", () => {
    expect(() => compact.reply(sampleResult(" "), undefined, head, 0)).toThrowError(
      expect.objectContaining({ code: "upstream_error" }),
    );
  });
});

describe("a compacted conversation", () => {
  const summary = { type: "text", text: "Summary of the conversation so far:\n\nKim likes herons. 🦆" };

  it.each(["compaction", "compaction_summary", "context_compaction"])("replaces the items before it: %s", (type) => {
    const { messages, system, tools, warnings } = turnOf([
      { role: "developer", content: "Be kind." },
      { type: "additional_tools", tools: [{ type: "function", name: "ls" }] },
      { role: "user", content: "old" },
      { ...item("older"), type },
      { role: "assistant", content: "old too" },
      { ...item("Kim likes herons. 🦆"), type },
      { role: "user", content: "new" },
    ]);
    expect(messages).toEqual([
      { role: "user", content: [summary] },
      { role: "user", content: [{ type: "text", text: "new" }] },
    ]);
    expect([system, tools.length, warnings]).toEqual(["Be kind.", 1, []]);
  });

  it("of another service cannot be read, and replaces nothing", () => {
    const { messages, warnings } = turnOf([
      { role: "user", content: "old" },
      { type: "compaction", encrypted_content: "gAAAA" },
      { role: "user", content: "new" },
    ]);
    expect(messages).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining("a compaction of another service")]);
  });
});
