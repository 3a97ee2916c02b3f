import { isObject } from "../node.js";
import { UselessSchema } from "../reader.js";

/** Makes a reader for the values of a keyword, which throws UselessSchema for values of another type. */
function readerOf<Value>(isValue: (value: unknown) => value is Value, what: string) {
  return (value: unknown, keyword: string): Value => {
    if (!isValue(value)) throw new UselessSchema(`${keyword} must be ${what}`);
    return value;
  };
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isFilled = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

export const readNumber = readerOf((value) => typeof value === "number", "a number");
export const readCount = readerOf(isCount, "a whole number, 0 or more");
export const readText = readerOf(isText, "a string");
export const readTexts = readerOf(isTexts, "a list of strings");
export const readList = readerOf(isFilled, "a list that is not empty");
export const readMap = readerOf(isObject, "an object");
