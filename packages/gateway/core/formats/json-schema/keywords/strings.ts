import type { FormatDefinition } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Run } from "../node.js";
import { type Keywords, type ReadKeyword, UselessSchema } from "../reader.js";
import { countLimits, readNumber, readPattern, readText } from "./read-value.js";

function limit(keyword: string, sign: string, isWithin: (value: number, limit: number) => boolean): ReadKeyword {
  return (value) => {
    const most = readNumber(value, keyword);
    const message = `must be ${sign} ${most}`;
    return (each, position, run) => typeof each !== "number" || isWithin(each, most) || run.fail(position, message);
  };
}

const multipleOf: ReadKeyword = (value) => {
  const divisor = readNumber(value, "multipleOf");
  if (divisor <= 0) throw new UselessSchema("multipleOf must be more than 0");
  return (each, position, run) =>
    typeof each !== "number" ||
    Number.isInteger(each / divisor) ||
    run.fail(position, `must be multiple of ${divisor}`);
};

export const numberKeywords: Keywords = [
  ["maximum", limit("maximum", "<=", (value, most) => value <= most)],
  ["minimum", limit("minimum", ">=", (value, least) => value >= least)],
  ["exclusiveMaximum", limit("exclusiveMaximum", "<", (value, end) => value < end)],
  ["exclusiveMinimum", limit("exclusiveMinimum", ">", (value, start) => value > start)],
  ["multipleOf", multipleOf],
];

type Test = (value: unknown) => boolean;

/** The expression for `url` is the only one that takes quadratic time, so longer texts are parsed by `URL`. */
const MAX_URL_CHARACTERS = 2_000;

/** Tests by the name of the format. Values of types that the format does not apply to pass. */
const formatTests: ReadonlyMap<string, Test> = new Map(
  Object.entries(fullFormats).flatMap(([name, format]) => {
    const test = toTest(format);
    if (test === undefined) return [];
    const isLong = (value: unknown) => typeof value === "string" && value.length > MAX_URL_CHARACTERS;
    return [[name, name === "url" ? (value) => (isLong(value) ? URL.canParse(String(value)) : test(value)) : test]];
  }),
);

function toTest(format: (typeof fullFormats)[keyof typeof fullFormats]): Test | undefined {
  if (typeof format === "string" || format === true) return undefined; // an annotation without a test
  if (typeof format === "function") return (value) => typeof value !== "string" || format(value);
  if (format instanceof RegExp) return (value) => typeof value !== "string" || format.test(value);
  if (format.async === true) return undefined;
  if (isOfNumbers(format)) return (value) => typeof value !== "number" || format.validate(value);
  const { validate } = format;
  if (typeof validate !== "function") return undefined;
  return (value) => typeof value !== "string" || validate(value);
}

function isOfNumbers(format: FormatDefinition<string> | FormatDefinition<number>): format is FormatDefinition<number> {
  return format.type === "number";
}

/** The number of characters that are read in about the time of one step. */
const CHARACTERS_PER_STEP = 16;

/** The number of code points. */
function lengthOf(value: unknown, run: Run): number | undefined {
  if (typeof value !== "string") return undefined;
  run.steps.spend(value.length / CHARACTERS_PER_STEP);
  let count = 0;
  for (let at = 0; at < value.length; count++) at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
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
