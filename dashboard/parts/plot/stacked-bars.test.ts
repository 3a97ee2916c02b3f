import { expect, it } from "vitest";
import { walkColumns } from "./stacked-bars.js";

it.each([
  ["ArrowLeft", 5, 4],
  ["ArrowRight", 5, 6],
  ["ArrowLeft", 0, 0],
  ["ArrowRight", 29, 29],
  ["PageUp", 5, 12],
  ["PageDown", 5, 0],
  ["Home", 17, 0],
  ["End", 17, 29],
  ["Escape", 17, "leave"],
  ["Tab", 17, undefined],
  ["constructor", 17, undefined],
])("%s leads from bar %d of 30 to %s", (key, from, to) => {
  expect(walkColumns(key, from, 30)).toBe(to);
});
