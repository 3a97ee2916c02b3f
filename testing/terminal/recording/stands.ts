import { type Run, widthOf } from "../styled-rows.js";

/** What is different in every recording, and what stands for it in the picture. */
export type Stand = readonly [found: RegExp, stand: (found: string) => string];

const CHALLENGE = "fT3kQ9ZrW1mXy7LcVn5_Jb2Hs8DgKa4EoUi6Pq0Rt-w";
const UUID = "3f2b8c1a-64d7-4e0b-9c55-7a1e0d2f9b86";

/** Dates, times, keys and addresses of the sign-in, of the same width. */
const usual: readonly Stand[] = [
  [/\b20\d\d-\d\d-\d\d\b/g, () => "2027-02-14"],
  [/\b\d\d:\d\d:\d\d\b/g, () => "09:41:07"],
  // A key is shown by its last characters.
  [/(?<=crsr_(?:\.\.\.|…))\w{4}\b/g, () => "7f3a"],
  // The address of the sign-in goes over two rows, with the break anywhere in it.
  [/(?<=challenge=)[\w-]+|^[\w-]+(?=&uuid=)/g, ({ length }) => CHALLENGE.slice(0, length)],
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, () => UUID],
  [/(?<=uuid=)[\da-f-]+/g, ({ length }) => UUID.slice(0, length)],
  [/^[\da-f-]+(?=&mode=)/g, ({ length }) => UUID.slice(-length)],
  // How long something took, at the end of its column.
  [/ +\d+(?:\.\d+)? m?s\b/g, (found) => " 240 ms".padStart(found.length)],
  // The id of a request.
  [/\b[\da-f]{8}(?=\s*$)/g, () => "5f0c2e71"],
];

/** Puts the stands in their places, and moves what comes after one of another width. */
export function withStands(rows: readonly (readonly Run[])[], stands: readonly Stand[]): Run[][] {
  return rows.map((runs) => {
    let moved = 0;
    return runs.map((run) => {
      const text = [...stands, ...usual].reduce((result, [found, stand]) => result.replace(found, stand), run.text);
      const placed = { ...run, text, column: run.column + moved };
      moved += widthOf(text) - widthOf(run.text);
      return placed;
    });
  });
}
