import type { Keywords, ReadKeyword } from "../reader.js";
import type { Run } from "../run.js";
import { readCount } from "./read-value.js";

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
