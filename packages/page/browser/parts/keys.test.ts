import { expect, it } from "vitest";
import { placeAfter } from "./keys.js";

const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: 7, PageDown: -7 };

it.each([
  ["ArrowLeft", 5, 4],
  ["ArrowRight", 5, 6],
  ["ArrowLeft", 0, 0],
  ["ArrowRight", 29, 29],
  ["PageUp", 5, 12],
  ["PageDown", 5, 0],
  ["Home", 17, 0],
  ["End", 17, 29],
  ["Tab", 17, undefined],
  ["constructor", 17, undefined],
])("%s leads from item %d of 30 to %s", (key, from, to) => {
  expect(placeAfter(key, steps, { from, count: 30 })).toBe(to);
});

it.each([
  ["ArrowRight", 2, 0],
  ["ArrowLeft", 0, 2],
  ["ArrowLeft", 1, 0],
])("%s leads from item %d of 3, with wrap-around, to %d", (key, from, to) => {
  expect(placeAfter(key, steps, { from, count: 3, isRound: true })).toBe(to);
});
