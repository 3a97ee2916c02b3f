import { expect, it } from "vitest";
import { tabAfter } from "./tabs.js";

it.each([
  ["ArrowRight", 0, 1],
  ["ArrowRight", 2, 0],
  ["ArrowLeft", 1, 0],
  ["ArrowLeft", 0, 2],
  ["Home", 2, 0],
  ["End", 0, 2],
  ["a", 1, -1],
])("%s leads from tab %d of three to tab %d", (key, at, next) => {
  expect(tabAfter(key, at, 3)).toBe(next);
});
