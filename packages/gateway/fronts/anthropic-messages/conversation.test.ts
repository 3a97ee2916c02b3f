import { describe, expect, it } from "vitest";
import { documentText } from "../../turn/blocks.js";
import { OWN_SIGNATURE } from "./message.js";
import { parseRequest } from "./parse.js";

const turnOf = (messages: readonly object[], fields: object = {}) =>
  parseRequest({ body: { model: "auto", max_tokens: 1, messages, ...fields } }).turn;
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "bash", input });
const result = (id: string, content: unknown = "out") => ({ type: "tool_result", tool_use_id: id, content });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const imageBlock = { type: "image", mimeType: "image/png", data: Buffer.from("iVBORw0KGgo=", "base64") };
const pdf = Buffer.from("%PDF-1.7 rest");

describe("the system prompt", () => {
  it("may be text or blocks", () => {
    expect(turnOf([user(text("hi"))], { system: "Be brief." }).system).toBe("Be brief.");
    const blocks = [{ ...text("Be brief."), cache_control: { type: "ephemeral" } }, text("Be kind.")];
    expect(turnOf([user(text("hi"))], { system: blocks }).system).toBe("Be brief.\n\nBe kind.");
  });

  it("does not depend on the header that Claude Code puts there", () => {
    const system = (header: string) => [text(`x-anthropic-billing-header: ${header};`), text("You are Claude Code.")];
    for (const header of ["cc_version=2.1.9; cch=a1", "cc_version=2.1.9; cch=b2"]) {
      expect(turnOf([user(text("hi"))], { system: system(header) }).system).toBe("You are Claude Code.");
    }
  });

  it("may be in the first messages; later system text becomes a remark in place", () => {
    const system = (words: string) => ({ role: "system", content: [text(words)] });
    const turn = turnOf([system("Be brief."), user(text("hi")), system("Be quick.")]);
    expect(turn.system).toBe("Be brief.");
    expect(turn.messages).toEqual([
      {
        role: "user",
        content: [text("hi"), text("\n\n<system-reminder>\nBe quick.\n</system-reminder>")],
      },
    ]);
  });
});

describe("a conversation", () => {
  it("is the same in strings and in blocks, with or without cache marks", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const strings = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
      { role: "user", content: "go on" },
    ];
    const blocks = [user({ ...text("hi"), ...mark }), assistant(text("hello")), user({ ...text("go on"), ...mark })];
    expect(turnOf(strings).messages).toEqual(turnOf(blocks).messages);
  });

  it("holds calls, results with their content, and thinking", () => {
    const turn = turnOf([
      user(text("hi")),
      assistant(
        { type: "thinking", thinking: "hm", signature: "signed" },
        { type: "thinking", thinking: "unsigned", signature: OWN_SIGNATURE },
        { type: "thinking", thinking: "", signature: "omitted" },
        { type: "redacted_thinking", data: "xyz" },
        text("Looking."),
        use("a", { command: "ls" }),
        use("b"),
        use("c"),
      ),
      user(
        result("a", [text("one "), text("two"), image]),
        { ...result("b"), is_error: true },
        { type: "tool_result", tool_use_id: "c" },
      ),
    ]);
    expect(turn.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "hm", signature: "signed" },
          { type: "thinking", text: "unsigned" },
          text("Looking."),
          { type: "call", id: "a", name: "bash", input: '{"command":"ls"}' },
          { type: "call", id: "b", name: "bash", input: "{}" },
          { type: "call", id: "c", name: "bash", input: "{}" },
        ],
      },
      {
        role: "tool",
        results: [
          { callId: "a", content: [text("one "), text("two"), imageBlock], isError: false },
          { callId: "b", content: [text("out")], isError: true },
          { callId: "c", content: [], isError: false },
        ],
      },
    ]);
    expect(turn.warnings).toEqual([]);
  });

  const document = (source: object, fields: object = {}) => ({ type: "document", source, ...fields });
  const inBase64 = { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") };
  const inText = { type: "text", media_type: "text/plain", data: "words" };
  const at = (url: string) => ({ type: "url", url: `https://example.com/${url}` });

  it.each<[string, object, object[]]>([
    ["an image's address", { type: "image", source: at("a.png") }, [{ ...at("a.png"), type: "remote-image" }]],
    [
      "a document in text",
      document(inText, { title: "T", context: "Old." }),
      [text("\nOld.\n"), documentText("words", "T")],
    ],
    [
      "a document in blocks",
      document({ type: "content", content: [text("a"), image, text("b")] }),
      [documentText("ab"), imageBlock],
    ],
    ["a document in a string", document({ type: "content", content: "a" }), [documentText("a")]],
    ["a PDF", document(inBase64, { title: "a.pdf" }), [{ type: "pdf", name: "a.pdf", data: pdf }]],
    ["a PDF's address", document(at("a.pdf")), [{ ...at("a.pdf"), type: "remote-pdf" }]],
    [
      "something found",
      { type: "search_result", source: "https://example.com", title: "T", content: [text("found")] },
      [documentText("found", "T (https://example.com)")],
    ],
    [
      "a tool that was found",
      { type: "tool_reference", tool_name: "Later" },
      [text("The tool Later can be called now.\n")],
    ],
  ])("may hold %s, among text and in results", (_, block, blocks) => {
    expect(turnOf([user(block)]).messages).toEqual([{ role: "user", content: blocks }]);
    const answered = turnOf([user(text("hi")), assistant(use("a")), user(result("a", [block]))]);
    expect(answered.messages.at(-1)).toEqual({
      role: "tool",
      results: [{ callId: "a", content: blocks, isError: false }],
    });
  });

  it("warns once about blocks that are left out", () => {
    const turn = turnOf([
      user(text("hi")),
      assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} }, text("Found."), use("a")),
      user(result("a", [{ type: "browser_state", tabs: [] }]), { type: "server_tool_use", id: "t" }),
      assistant({ type: "web_search_tool_result", tool_use_id: "s", content: [] }),
      user(text("and?")),
    ]);
    expect(turn.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(turn.warnings).toEqual([
      "Blocks of these types are not passed on to the model: server_tool_use, browser_state, web_search_tool_result.",
    ]);
  });
});

describe("text beside results", () => {
  const called = [user(text("hi")), assistant(use("a"), use("b"))];
  const reminder = "<system-reminder>\nTests fail.\n</system-reminder>";
  const lastOf = (...messages: object[]) => turnOf([...called, ...messages]).messages.at(-1);
  const answered = {
    role: "tool",
    results: [
      { callId: "a", content: [text("out")], isError: false },
      { callId: "b", content: [text("out"), text(`\n\n${reminder}`)], isError: false },
    ],
  };

  it.each([`${reminder}\nStop that.`, `${reminder} Stop that. ${reminder}`, "Stop that."])(
    "is the user's if it is not only a reminder: %j",
    (words) =>
      expect(lastOf(user(result("a"), result("b"), text(words)))).toEqual({ role: "user", content: [text(words)] }),
  );

  it("is a remark if it is a reminder, before, after or in its own message", () => {
    expect(lastOf(user(result("a"), result("b"), text(reminder)))).toEqual(answered);
    expect(lastOf(user(text(reminder), result("a"), result("b")))).toEqual(answered);
    expect(lastOf(user(result("a"), result("b")), { role: "user", content: reminder })).toEqual(answered);
    expect(lastOf(user(result("a"), result("b")), { role: "system", content: "Tests fail." })).toEqual(answered);
  });

  it("is a remark beside the result of a tool search, and so is what follows", () => {
    const loaded = result("b", [{ type: "tool_reference", tool_name: "Later" }]);
    const note = text("Tool loaded.");
    const left = { role: "system", content: "9000 tokens left" };
    const { messages } = turnOf([...called, user(result("a"), loaded, note), left]);
    const content = [
      text("The tool Later can be called now.\n"),
      text("\n\nTool loaded."),
      text("\n\n<system-reminder>\n9000 tokens left\n</system-reminder>"),
    ];
    expect(messages.slice(-1)).toMatchObject([{ role: "tool", results: [{ callId: "a" }, { callId: "b", content }] }]);
    expect(lastOf(user(result("a"), loaded, note), user(text("Stop that.")))).toMatchObject({ role: "user" });
  });

  it("is split between the reminder and the user's own", () => {
    const { messages } = turnOf([...called, user(result("a"), result("b"), text(reminder), text("Stop that."))]);
    expect(messages.slice(-2)).toEqual([answered, { role: "user", content: [text("Stop that.")] }]);
  });

  it("is ignored when it is empty", () => {
    expect(lastOf(user(result("a"), result("b")), user(text("")))).toMatchObject({ role: "tool" });
  });

  it("belongs to the user's message at the beginning of a conversation", () => {
    expect(turnOf([user(text(reminder), text("hi"))]).messages).toEqual([
      { role: "user", content: [text(reminder), text("hi")] },
    ]);
  });
});
