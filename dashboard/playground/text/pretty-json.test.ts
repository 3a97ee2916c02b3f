import { expect, it } from "vitest";
import { bounded, prettyJson } from "./pretty-json.js";

it("gives every value of JSON a line, and leaves the rest as it is", () => {
  expect(prettyJson('{"a":[1,"x"]}')).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}');
  expect(prettyJson('{"a":')).toBe('{"a":');
});

it("says how much of a long text is left out", () => {
  expect(bounded("\u001bx")).toBe("␛x");
  expect(bounded("x".repeat(21_234))).toBe(`${"x".repeat(20_000)}\n… 1,234 more characters`);
});
