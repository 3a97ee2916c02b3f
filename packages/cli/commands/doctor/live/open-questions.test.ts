import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openQuestions } from "./open-questions.js";

const page = readFileSync(new URL("../../../../../docs/protocol/open-questions.md", import.meta.url), "utf8");
/** The questions of the page's two tables. */
const [captured, elsewhere] = page
  .split("\n## ")
  .slice(1)
  .map((section) => [...section.matchAll(/^\| ([^|]*\?) \|/gm)].map(([, question]) => question));

it("asks the questions of the page, in its order, and has rules for those that a capture answers", () => {
  const rows = Object.entries(openQuestions);
  expect(rows.filter(([, rule]) => rule !== undefined).map(([question]) => question)).toEqual(captured);
  expect(rows.filter(([, rule]) => rule === undefined).map(([question]) => question)).toEqual(elsewhere);
});
