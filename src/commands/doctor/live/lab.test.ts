import { expect, it } from "vitest";
import { has } from "./lab.js";

it.each([
  ["Red.", true],
  ["It is **red**, or _red_", true],
  ["It was shared in a hundred colours.", false],
  ["reddish", false],
  ["", false],
])("an answer has a word only where the word stands alone: %s", (answer, isThere) => {
  expect(has(answer, "red")).toBe(isThere);
});
