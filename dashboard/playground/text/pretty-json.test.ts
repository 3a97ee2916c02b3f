import { expect, it } from "vitest";
import { bounded, prettyJson } from "./visible-text.js";

it("gives every value of long JSON a line, and leaves the rest as it is", () => {
  expect(prettyJson('{"city":"Lisbon"}')).toBe('{ "city": "Lisbon" }');
  const long = "x".repeat(70);
  expect(prettyJson(`{"a":[1,"${long}"]}`)).toBe(`{\n  "a": [\n    1,\n    "${long}"\n  ]\n}`);
  expect(prettyJson('{"a":')).toBe('{"a":');
});

it("says how much of a long text is left out", () => {
  expect(bounded("\u001bx")).toBe("␛x");
  expect(bounded("x".repeat(21_234))).toBe(`${"x".repeat(20_000)}\n… 1,234 more characters`);
});
