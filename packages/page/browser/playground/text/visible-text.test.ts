import { expect, it } from "vitest";
import { bounded, prettyJson, visibleText } from "./visible-text.js";

it.each([
  ["plain\n\ttext, ünïcödé and 😀", "plain\n\ttext, ünïcödé and 😀"],
  ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
  ["a\u0000b\u0007c\u007fd\re", "a␀b␇c␡d␍e"],
  ["\u009b31m", "⟨9B⟩31m"],
  ["\u202egnp.exe\u202c \u2066x\u2069", "⟨RLO⟩gnp.exe⟨PDF⟩ ⟨LRI⟩x⟨PDI⟩"],
  ["‏עברית‎", "‏עברית‎"],
])("%j is shown as %j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it("puts each value of long JSON on its own line, and leaves other text as it is", () => {
  expect(prettyJson('{"city":"Lisbon"}')).toBe('{ "city": "Lisbon" }');
  const long = "x".repeat(70);
  expect(prettyJson(`{"a":[1,"${long}"]}`)).toBe(`{\n  "a": [\n    1,\n    "${long}"\n  ]\n}`);
  expect(prettyJson('{"a":')).toBe('{"a":');
});

it("says how much of a long text is omitted", () => {
  expect(bounded("\u001bx")).toBe("␛x");
  expect(bounded("x".repeat(21_234))).toBe(`${"x".repeat(20_000)}\n… 1,234 more characters`);
});
