import { describe, expect, it } from "vitest";
import { decodeEntry, type Entry, encodeEntry } from "./transcript.js";

const own: Entry[] = [
  { role: "system", text: "You are" },
  { role: "context", text: "<rule>\nx\n</rule>" },
  { role: "user", text: "\nhello\n", images: [{ mimeType: "image/png", hash: "ab", bytes: 3 }] },
  {
    role: "assistant",
    id: "1",
    parts: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "well" },
      { type: "tool-call", toolCallId: "c\n1", toolName: "t", args: { a: [1, null] } },
    ],
  },
  { role: "tool", results: [{ toolCallId: "c\n1", toolName: "t", result: "r" }] },
];

const foreign: [string, unknown, Entry][] = [
  ["a plain user text", { role: "user", content: "hi" }, { role: "user", text: "hi", images: [] }],
  [
    "a user text in several parts",
    {
      role: "user",
      content: [
        { type: "text", text: "<user_query>\na\n</user_query>" },
        { type: "text", text: "<user_query>b</user_query>" },
      ],
    },
    { role: "user", text: "a\nb", images: [] },
  ],
  [
    "an inline image",
    { role: "user", content: [{ type: "image", image: "AAEC", mimeType: "image/gif" }] },
    {
      role: "user",
      text: "",
      images: [
        {
          mimeType: "image/gif",
          hash: "ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc",
          bytes: 3,
        },
      ],
    },
  ],
  [
    "a plain answer",
    { role: "assistant", content: "yes" },
    { role: "assistant", id: "", parts: [{ type: "text", text: "yes" }] },
  ],
  [
    "unknown parts",
    {
      role: "assistant",
      content: [
        { type: "redacted-reasoning", data: "x" },
        { type: "text", text: "ok" },
      ],
    },
    { role: "assistant", id: "", parts: [{ type: "text", text: "ok" }] },
  ],
  [
    "a result that is not a text",
    { role: "tool", id: "c1", content: [{ type: "tool-result", toolName: "t", result: { n: 1 } }] },
    { role: "tool", results: [{ toolCallId: "c1", toolName: "t", result: '{"n":1}' }] },
  ],
];

describe("an entry", () => {
  it.each(own.map((entry) => [entry.role, entry] as const))("of the %s survives a round trip", (_role, entry) => {
    expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
  });

  it.each(foreign)("of a client is read: %s", (_name, json, entry) => {
    expect(decodeEntry(Buffer.from(JSON.stringify(json)))).toEqual(entry);
  });

  it.each(["no json", "[]", '{"role":"poet"}', '{"role":"user","content":7}'])("is refused: %s", (json) => {
    expect(() => decodeEntry(Buffer.from(json))).toThrow(/root message/);
  });
});
