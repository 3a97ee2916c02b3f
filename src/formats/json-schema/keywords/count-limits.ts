import type { Keywords, ReadKeyword } from "../reader.js";
import type { Run } from "../run.js";
import { readCount } from "./read-value.js";

/** `max…` and `min…` of what a value has. Of values that have none of it, nothing is counted. */
export function countLimits(
  what: "Items" | "Length" | "Properties",
  noun: string,
  count: (value: unknown, run: Run) => number | undefined,
): Keywords {
  const limit = (keyword: string, word: string, holds: (found: number, limit: number) => boolean): ReadKeyword => {
    return (value) => {
      const most = readCount(value, keyword);
      return (each, place, run) => {
        const found = count(each, run);
        return (
          found === undefined || holds(found, most) || run.fail(place, `must NOT have ${word} than ${most} ${noun}`)
        );
      };
    };
  };
  return [
    [`max${what}`, limit(`max${what}`, "more", (found, most) => found <= most)],
    [`min${what}`, limit(`min${what}`, "fewer", (found, least) => found >= least)],
  ];
}
