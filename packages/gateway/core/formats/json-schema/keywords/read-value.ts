import { isObject } from "../../../../turn/read-json.js";
import { isMatch, NotLinear } from "../../pattern/program.js";
import type { Steps } from "../../steps.js";
import type { Run } from "../node.js";
import { type Keywords, type Reader, type ReadKeyword, UselessSchema } from "../reader.js";

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

const MAX_SHOWN = 60;

/** The test for a pattern; undefined if it needs more than linear time. @throws UselessSchema for an invalid pattern */
export function readPattern(source: string, reader: Reader): ((text: string, steps: Steps) => boolean) | undefined {
  const shown = source.length > MAX_SHOWN ? `${source.slice(0, MAX_SHOWN)}…` : source;
  try {
    const program = reader.patterns.compile(source);
    return (text, steps) => isMatch(program, text, steps);
  } catch (thrown) {
    if (thrown instanceof NotLinear) {
      reader.onUnchecked(`The pattern ${JSON.stringify(shown)} is not checked: ${thrown.message}.`);
      return undefined;
    }
    const isKnown = thrown instanceof SyntaxError || thrown instanceof RangeError;
    if (isKnown) throw new UselessSchema(`the pattern ${JSON.stringify(shown)} cannot be understood`);
    throw thrown;
  }
}

/** The keywords `max…` and `min…` for a count. Values that have no such count pass. */
export function countLimits(
  what: "Items" | "Length" | "Properties",
  noun: string,
  count: (value: unknown, run: Run) => number | undefined,
): Keywords {
  const limit = (keyword: string, word: string, isWithin: (found: number, limit: number) => boolean): ReadKeyword => {
    return (value) => {
      const most = readCount(value, keyword);
      return (each, position, run) => {
        const found = count(each, run);
        return (
          found === undefined ||
          isWithin(found, most) ||
          run.fail(position, `must NOT have ${word} than ${most} ${noun}`)
        );
      };
    };
  };
  return [
    [`max${what}`, limit(`max${what}`, "more", (found, most) => found <= most)],
    [`min${what}`, limit(`min${what}`, "fewer", (found, least) => found >= least)],
  ];
}
