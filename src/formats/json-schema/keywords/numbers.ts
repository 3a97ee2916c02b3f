import { type Keywords, type ReadKeyword, UselessSchema } from "../reader.js";
import { readNumber } from "./read-value.js";

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
