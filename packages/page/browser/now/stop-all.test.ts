import { expect, it } from "vitest";
import { countRuns } from "./stop-all.js";

it.each([
  [{ replies: 2, waiting: 1 }, "2 replies and 1 waiting run"],
  [{ replies: 1, waiting: 0 }, "1 reply"],
  [{ replies: 0, waiting: 3 }, "3 waiting runs"],
  [{ replies: 0, waiting: 0 }, "all runs"],
])("%j are %s", (runs, text) => {
  expect(countRuns(runs)).toBe(text);
});
