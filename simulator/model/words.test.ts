import { describe, expect, it } from "vitest";
import { inWords } from "./words.js";

describe("words", () => {
  it.each(["", " ", "one", " one  two\n\nthree ", "a\u00a0b 😀 c"])("of %j join to the text again", (text) => {
    const words = inWords(text);
    expect(words.join("")).toBe(text);
    expect(words.every((word) => word !== "")).toBe(true);
  });
});
