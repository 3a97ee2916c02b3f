import { expect, it } from "vitest";
import { measures, parseQuestion, queryOf, ranges } from "./question.js";

it("is written to the address and parsed from it", () => {
  for (const range of Object.keys(ranges) as (keyof typeof ranges)[]) {
    for (const measure of Object.keys(measures) as (keyof typeof measures)[]) {
      const query = Object.fromEntries(Object.entries(queryOf({ range, measure })).filter(([, value]) => value !== ""));
      expect(parseQuestion(query)).toEqual({ range, measure });
    }
  }
});

it("omits defaults from the address, and falls back to them for unknown values", () => {
  expect(queryOf(parseQuestion({}))).toEqual({ range: "", measure: "" });
  expect(parseQuestion({ range: "toString", measure: "9" })).toEqual({ range: "7d", measure: "tokens" });
});
