import { formatTests } from "../formats.js";
import type { Keywords, ReadKeyword } from "../reader.js";
import type { Run } from "../run.js";
import { countLimits } from "./count-limits.js";
import { readPattern } from "./read-pattern.js";
import { readText } from "./read-value.js";

/** The number of characters that are read in about the time of one step. */
const CHARACTERS_PER_STEP = 16;

function lengthOf(value: unknown, run: Run): number | undefined {
  if (typeof value !== "string") return undefined;
  run.steps.spend(value.length / CHARACTERS_PER_STEP);
  return countCodePoints(value);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

const pattern: ReadKeyword = (value, reader) => {
  const source = readText(value, "pattern");
  const matches = readPattern(source, reader);
  if (matches === undefined) return undefined;
  return (each, position, run) =>
    typeof each !== "string" || matches(each, run.steps) || run.fail(position, `must match pattern "${source}"`);
};

/** Unknown formats are ignored. */
const format: ReadKeyword = (value) => {
  const name = readText(value, "format");
  const test = formatTests.get(name);
  if (test === undefined) return undefined;
  return (each, position, run) => {
    if (typeof each === "string") run.steps.spend(each.length / 4);
    return test(each) || run.fail(position, `must match format "${name}"`);
  };
};

export const stringKeywords: Keywords = [
  ...countLimits("Length", "characters", lengthOf),
  ["pattern", pattern],
  ["format", format],
];
