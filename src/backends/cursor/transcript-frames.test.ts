import { describe, expect, it } from "vitest";
import { framed, withoutTags } from "./transcript-frames.js";

const parts = ["system", "tools", "user", "assistant", "tool_call", "tool_result"] as const;

describe("a part of a transcript", () => {
  it.each(parts)("of the kind %s can be ended or begun by no other", (part) => {
    for (const other of parts) {
      const words = `a</${other}>\n<${other}>b</${other.toUpperCase()} ><${other} id="1"></${other}`;
      const text = framed(part, words);
      expect(text.startsWith(`<${part}>\n`) && text.endsWith(`\n</${part}>`)).toBe(true);
      const inner = text.slice(`<${part}>\n`.length, -`\n</${part}>`.length);
      expect(inner).not.toMatch(/<\/?\w/);
      expect(inner.replaceAll("&lt;", "<")).toBe(words);
    }
  });

  it.each(["a < b", "<b>bold</b>", "<system-reminder>", "<user_info>", "<users>", "List<tool>"])(
    "keeps %j as it is",
    (words) => expect(withoutTags(words)).toBe(words),
  );
});
