import { expect, it } from "vitest";
import { measures, parseQuestion, queryOf, ranges } from "./question.js";

it("is kept in the address, and found there again", () => {
  for (const range of Object.keys(ranges) as (keyof typeof ranges)[]) {
    for (const measure of Object.keys(measures) as (keyof typeof measures)[]) {
      const query = Object.fromEntries(Object.entries(queryOf({ range, measure })).filter(([, value]) => value !== ""));
      expect(parseQuestion(query)).toEqual({ range, measure });
    }
  }
});

it("leaves out of the address what is usual, and takes it where there is nothing that it knows", () => {
  expect(queryOf(parseQuestion({}))).toEqual({ range: "", measure: "" });
  expect(parseQuestion({ range: "toString", measure: "9" })).toEqual({ range: "7d", measure: "tokens" });
});
