import { describe, expect, it } from "vitest";
import type { Message, Turn } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const pixel = Buffer.from([1, 2, 3]);
const pixelUrl = `data:image/png;base64,${pixel.toString("base64")}`;
const text = (value: string) => ({ type: "text", text: value }) as const;
const user = (content?: unknown) => ({ role: "user", content });
const assistant = (fields: object) => ({ role: "assistant", content: null, ...fields });
const tool = (tool_call_id: string, content: unknown) => ({ role: "tool", tool_call_id, content });
const picture = (image_url: unknown) => ({ type: "image_url", image_url });
const hi = user("hi");

function turnOf(fields: object): Turn {
  return parseRequest({ body: { model: "m", messages: [hi], ...fields } }).turn;
}

describe("messages", () => {
  const image = { type: "image", mimeType: "image/png", data: pixel } as const;
  const said = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({ role: "user", content });
  const answered = (...content: Extract<Message, { role: "assistant" }>["content"]): Message => ({
    role: "assistant",
    content,
  });
  const call = (id: string, name: string, input: string) => ({ type: "call", id, name, input }) as const;
  const result = (callId: string, ...content: Extract<Message, { role: "user" }>["content"]) => ({
    callId,
    content,
    isError: false,
  });
  const results = (...all: ReturnType<typeof result>[]): Message => ({ role: "tool", results: all });

  const attached = "Attached media from tool result:";

  it.each<[string, object[], Message[]]>([
    ["user text in parts", [user([text("a"), { ...text("b"), cache_control: {} }])], [said(text("a"), text("b"))]],
    ["a user message without content", [user(null), user(""), user()], [said(), said(), said()]],
    [
      "images in both forms, and an address",
      [
        user([
          picture({ url: pixelUrl, detail: "low" }),
          picture(pixelUrl),
          picture({ url: "https://example.com/a.png" }),
        ]),
      ],
      [said(image, image, { type: "remote-image", url: "https://example.com/a.png" })],
    ],
    [
      "files",
      [user([{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }])],
      [said({ type: "pdf", name: "a.pdf", data: Buffer.from("%PDF-") })],
    ],
    [
      "an assistant's text in parts, with a refusal",
      [
        assistant({ content: [text("No: "), { type: "refusal", refusal: "never" }] }),
        assistant({ refusal: "I will not." }),
      ],
      [answered(text("No: never"), text("I will not."))],
    ],
    [
      "calls beside null and empty content, with the thinking before them",
      [
        assistant({
          reasoning_content: "look first",
          tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{"a":1}' } }],
        }),
        assistant({ content: "", tool_calls: [{ id: "c2", function: { name: "pwd", arguments: "" } }] }),
      ],
      [answered({ type: "thinking", text: "look first" }, call("c1", "ls", '{"a":1}'), call("c2", "pwd", "{}"))],
    ],
    [
      "a call of a custom tool, whose input is free text",
      [{ role: "assistant", tool_calls: [{ id: "c1", type: "custom", custom: { name: "py", input: "1+1" } }] }],
      [answered(call("c1", "py", '{"input":"1+1"}'))],
    ],
    [
      "results in a row as one message, in strings and parts",
      [tool("c1", "one"), tool("c2", [text("two")]), hi, tool("c3", [picture({ url: pixelUrl })])],
      [results(result("c1", text("one")), result("c2", text("two"))), said(text("hi")), results(result("c3", image))],
    ],
    ...[attached, "Attached image(s) from tool result:"].map((words): [string, object[], Message[]] => [
      `images of a result behind it, under the words ${words}`,
      [tool("c1", "one"), user([text(words), picture({ url: pixelUrl })])],
      [results(result("c1", text("one"), text(`\n\n${words}`), image))],
    ]),
    [
      "such text of a user after an answer, or with other text",
      [user(attached), tool("c1", "one"), user([text(attached), text("Stop that.")])],
      [said(text(attached)), results(result("c1", text("one"))), said(text(attached), text("Stop that."))],
    ],
    [
      "an assistant that said nothing is left out",
      [hi, assistant({}), assistant({ content: "" }), hi],
      [said(text("hi")), said(text("hi"))],
    ],
  ])("%s", (_, messages, expected) => {
    expect(turnOf({ messages }).messages).toEqual(expected);
  });

  it("old function calls are matched by name", () => {
    const called = (input: string) => assistant({ function_call: { name: "f", arguments: input } });
    const answer = (name: string, content: string | null) => ({ role: "function", name, content });
    const old = [
      called("{}"),
      answer("f", "first"),
      called('{"again":true}'),
      answer("f", "second"),
      answer("g", null),
    ];
    const { messages } = turnOf({ messages: old });
    const ids = messages.flatMap((message) =>
      message.role === "tool" ? message.results.map(({ callId }) => callId) : [],
    );
    const [one = "", two = "", three = ""] = ids;
    expect(new Set(ids).size).toBe(3);
    expect(messages).toEqual([
      answered(call(one, "f", "{}")),
      results(result(one, text("first"))),
      answered(call(two, "f", '{"again":true}')),
      results(result(two, text("second")), result(three)),
    ]);
  });

  const system = (content: unknown) => ({ role: "system", content });

  it("takes system and developer text at the beginning as the system prompt, a top-level `system` first", () => {
    const developer = { role: "developer", content: [text("t"), text("wo")] };
    const messages = [system("one"), developer, system(""), system(null), hi];
    expect(turnOf({ system: "zero", messages }).system).toBe("zero\n\none\n\ntwo");
    expect(turnOf({ system: [text("zero")], messages: [hi] }).system).toBe("zero");
    expect(turnOf({ system: null }).system).toBe("");
  });

  it("leaves later system text in place, as a remark", () => {
    expect(turnOf({ messages: [system("one"), hi, { role: "developer", content: "two" }] })).toMatchObject({
      system: "one",
      messages: [said(text("hi"), text("\n\n<system-reminder>\ntwo\n</system-reminder>"))],
    });
  });
});
