import { expect, it } from "vitest";
import { has } from "./lab.js";

it.each([
  ["Red.", true],
  ["It is **red**, or _red_", true],
  ["It was shared in a hundred colours.", false],
  ["reddish", false],
  ["", false],
])("matches whole words only: %s", (answer, isThere) => {
  expect(has(answer, "red")).toBe(isThere);
});
