import { describe, expect, it } from "vitest";
import type { Message, Turn } from "../../turn/turn.js";
import { parseRequest } from "./parse.js";

const hi = { role: "user", content: "hi" };
const pixel = Buffer.from([1, 2, 3]);
const pixelUrl = `data:image/png;base64,${pixel.toString("base64")}`;

function turnOf(fields: object): Turn {
  return parseRequest({ body: { model: "m", messages: [hi], ...fields } }).turn;
}

describe("messages", () => {
  const text = (value: string) => ({ type: "text", text: value }) as const;
  interface Case {
    name: string;
    messages: object[];
    expected: Message[];
  }
  const cases: Case[] = [
    {
      name: "user text in parts",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b", cache_control: {} },
          ],
        },
      ],
      expected: [{ role: "user", content: [text("a"), text("b")] }],
    },
    {
      name: "a user message without content",
      messages: [{ role: "user", content: null }, { role: "user", content: "" }, { role: "user" }],
      expected: [
        { role: "user", content: [] },
        { role: "user", content: [] },
        { role: "user", content: [] },
      ],
    },
    {
      name: "images in both forms, and an address",
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: pixelUrl, detail: "low" } },
            { type: "image_url", image_url: pixelUrl },
            { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          ],
        },
      ],
      expected: [
        {
          role: "user",
          content: [
            { type: "image", mimeType: "image/png", data: pixel },
            { type: "image", mimeType: "image/png", data: pixel },
            { type: "remote-image", url: "https://example.com/a.png" },
          ],
        },
      ],
    },
    {
      name: "files",
      messages: [
        {
          role: "user",
          content: [{ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } }],
        },
      ],
      expected: [{ role: "user", content: [{ type: "pdf", name: "a.pdf", data: Buffer.from("%PDF-") }] }],
    },
    {
      name: "an assistant's text in parts, with a refusal",
      messages: [
        {
          role: "assistant",
          content: [
            { type: "text", text: "No: " },
            { type: "refusal", refusal: "never" },
          ],
        },
        { role: "assistant", content: null, refusal: "I will not." },
      ],
      expected: [{ role: "assistant", content: [text("No: never"), text("I will not.")] }],
    },
    {
      name: "calls beside null and empty content, with the thinking before them",
      messages: [
        {
          role: "assistant",
          content: null,
          reasoning_content: "look first",
          tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: '{"a":1}' } }],
        },
        { role: "assistant", content: "", tool_calls: [{ id: "c2", function: { name: "pwd", arguments: "" } }] },
      ],
      expected: [
        {
          role: "assistant",
          content: [
            { type: "thinking", text: "look first" },
            { type: "call", id: "c1", name: "ls", input: '{"a":1}' },
            { type: "call", id: "c2", name: "pwd", input: "{}" },
          ],
        },
      ],
    },
    {
      name: "a call of a custom tool, whose input is free text",
      messages: [
        { role: "assistant", tool_calls: [{ id: "c1", type: "custom", custom: { name: "py", input: "1+1" } }] },
      ],
      expected: [{ role: "assistant", content: [{ type: "call", id: "c1", name: "py", input: '{"input":"1+1"}' }] }],
    },
    {
      name: "results in a row as one message, in strings and parts",
      messages: [
        { role: "tool", tool_call_id: "c1", content: "one" },
        { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "two" }] },
        hi,
        { role: "tool", tool_call_id: "c3", content: [{ type: "image_url", image_url: { url: pixelUrl } }] },
      ],
      expected: [
        {
          role: "tool",
          results: [
            { callId: "c1", content: [text("one")], isError: false },
            { callId: "c2", content: [text("two")], isError: false },
          ],
        },
        { role: "user", content: [text("hi")] },
        {
          role: "tool",
          results: [{ callId: "c3", content: [{ type: "image", mimeType: "image/png", data: pixel }], isError: false }],
        },
      ],
    },
    ...["Attached media from tool result:", "Attached image(s) from tool result:"].map(
      (words): Case => ({
        name: `images of a result behind it, under the words ${words}`,
        messages: [
          { role: "tool", tool_call_id: "c1", content: "one" },
          {
            role: "user",
            content: [
              { type: "text", text: words },
              { type: "image_url", image_url: { url: pixelUrl } },
            ],
          },
        ],
        expected: [
          {
            role: "tool",
            results: [
              {
                callId: "c1",
                content: [text("one"), text(`\n\n${words}`), { type: "image", mimeType: "image/png", data: pixel }],
                isError: false,
              },
            ],
          },
        ],
      }),
    ),
    {
      name: "such words of a user, behind an answer or with more",
      messages: [
        { role: "user", content: "Attached media from tool result:" },
        { role: "tool", tool_call_id: "c1", content: "one" },
        {
          role: "user",
          content: [
            { type: "text", text: "Attached media from tool result:" },
            { type: "text", text: "Stop that." },
          ],
        },
      ],
      expected: [
        { role: "user", content: [text("Attached media from tool result:")] },
        { role: "tool", results: [{ callId: "c1", content: [text("one")], isError: false }] },
        { role: "user", content: [text("Attached media from tool result:"), text("Stop that.")] },
      ],
    },
    {
      name: "the old function calls, matched by name",
      messages: [
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "first" },
        { role: "assistant", content: null, function_call: { name: "f", arguments: '{"again":true}' } },
        { role: "function", name: "f", content: "second" },
        { role: "function", name: "unasked", content: null },
      ],
      expected: [
        { role: "assistant", content: [{ type: "call", id: "function-0", name: "f", input: "{}" }] },
        { role: "tool", results: [{ callId: "function-0", content: [text("first")], isError: false }] },
        { role: "assistant", content: [{ type: "call", id: "function-1", name: "f", input: '{"again":true}' }] },
        {
          role: "tool",
          results: [
            { callId: "function-1", content: [text("second")], isError: false },
            { callId: "function-2", content: [], isError: false },
          ],
        },
      ],
    },
    {
      name: "an assistant that said nothing is left out",
      messages: [hi, { role: "assistant", content: null }, { role: "assistant", content: "" }, hi],
      expected: [
        { role: "user", content: [text("hi")] },
        { role: "user", content: [text("hi")] },
      ],
    },
  ];

  it.each(cases)("$name", ({ messages, expected }) => {
    expect(turnOf({ messages }).messages).toEqual(expected);
  });

  it("takes system and developer text at the beginning as the system prompt, a top-level `system` first", () => {
    const messages = [
      { role: "system", content: "one" },
      {
        role: "developer",
        content: [
          { type: "text", text: "t" },
          { type: "text", text: "wo" },
        ],
      },
      { role: "system", content: "" },
      { role: "system", content: null },
      hi,
    ];
    expect(turnOf({ system: "zero", messages }).system).toBe("zero\n\none\n\ntwo");
    expect(turnOf({ system: [{ type: "text", text: "zero" }], messages: [hi] }).system).toBe("zero");
    expect(turnOf({ system: null }).system).toBe("");
  });

  it("leaves later system text where it stands, as a remark", () => {
    const messages = [{ role: "system", content: "one" }, hi, { role: "developer", content: "two" }];
    expect(turnOf({ messages })).toMatchObject({
      system: "one",
      messages: [{ role: "user", content: [text("hi"), text("\n\n<system-reminder>\ntwo\n</system-reminder>")] }],
    });
  });
});
