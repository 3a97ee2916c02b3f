import { describe, expect, it } from "vitest";
import { FenceSplitter, type Piece } from "./fences.js";

/** Splits a text fed in slices, and joins adjacent text pieces. */
function split(whole: string, sliceChars: number): Piece[] {
  const splitter = new FenceSplitter();
  const pieces: Piece[] = [];
  for (let at = 0; at < whole.length; at += sliceChars) pieces.push(...splitter.push(whole.slice(at, at + sliceChars)));
  pieces.push(...splitter.end());
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.type === "text" && last?.type === "text") joined.pop();
    joined.push(piece.type === "text" && last?.type === "text" ? text(last.text + piece.text) : piece);
  }
  return joined;
}

const text = (words: string): Piece => ({ type: "text", text: words });
const open = (language = ""): Piece => ({ type: "open", language });
const close: Piece = { type: "close" };

const cases: [string, Piece[]][] = [
  ["no code at all", [text("no code at all")]],
  ["a `word` and ``two``\n``\n", [text("a `word` and ``two``\n``\n")]],
  ["see:\n```js\nlet a;\n```\ndone", [text("see:\n"), open("js"), text("let a;\n"), close, text("done")]],
  ["```\nnever closed", [open(), text("never closed")]],
  ["```\na\n```", [open(), text("a\n"), close]],
  ["  ```sh  \n  ls\n  ```\n", [open("sh"), text("  ls\n"), close]],
  ["````md\n```js\n```\n````\n", [open("md"), text("```js\n```\n"), close]],
  ["```js\n```py\n```\n", [open("js"), text("```py\n"), close]],
  ["``` `not` a fence\n", [text("``` `not` a fence\n")]],
  ["text ```\n", [text("text ```\n")]],
  ["\n\n```\n\n```\n\n", [text("\n\n"), open(), text("\n"), close, text("\n")]],
  [`\`\`\`${"x".repeat(90)}\n`, [text(`\`\`\`${"x".repeat(90)}\n`)]],
  ["   ", [text("   ")]],
];

describe.each(cases)("%j", (whole, pieces) => {
  it("has the same code blocks in slices of any size", () => {
    for (let size = 1; size <= whole.length; size++) expect(split(whole, size)).toEqual(pieces);
  });
});

it("leaves text after two hundred code blocks as it is", () => {
  const pieces = split("```\nx\n```\n".repeat(1_000), 4_096);
  expect(pieces.filter(({ type }) => type === "open")).toHaveLength(200);
  expect(pieces.at(-1)).toEqual(text("```\nx\n```\n".repeat(800)));
});
