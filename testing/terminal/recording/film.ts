import { type Run, styledRows, widthOf } from "../styled-rows.js";
import type { Cursor, Key, Terminal } from "../terminal.js";

/** Text that differs in every recording, and its stand-in for the picture. */
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

/** Puts the stands in their places, and shifts what follows one of another width. */
function withStands(rows: readonly (readonly Run[])[], stands: readonly Stand[]): Run[][] {
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

/** One state of the screen. */
export interface Frame {
  readonly rows: readonly (readonly Run[])[];
  readonly cursor: Cursor | undefined;
  /** What this part of the film is about. */
  readonly caption: string;
  /** The key that the person presses now, as its cap says. */
  readonly key: string | undefined;
  readonly holdMs: number;
}

/** How long the viewer has for each step. */
const viewMs = { character: 45, typed: 450, press: 420, least: 700, perNewRow: 120, most: 2_200 } as const;

const caps: Partial<Record<Key, string>> = { Up: "↑", Down: "↓", "C-c": "Ctrl-C" };

/** Records what terminals show, one below the other, at given moments, independent of how long a program takes. */
export class Film {
  readonly frames: Frame[] = [];
  /** Of the frames to come. */
  caption = "";
  readonly #columns: number;
  readonly #stands: readonly Stand[];
  readonly #terminals: Terminal[] = [];

  constructor(columns: number, stands: readonly Stand[] = []) {
    this.#columns = columns;
    this.#stands = stands;
  }

  add(terminal: Terminal): void {
    this.#terminals.push(terminal);
  }

  /** Adds a frame for as long as its new text takes to read. */
  async show(focused: Terminal): Promise<void> {
    const frame = await this.#frame(focused);
    this.frames.push({ ...frame, holdMs: readingMs(this.frames.at(-1), frame) });
  }

  async showTyped(focused: Terminal, isLast: boolean): Promise<void> {
    this.frames.push({ ...(await this.#frame(focused)), holdMs: isLast ? viewMs.typed : viewMs.character });
  }

  showPress(key: Key): void {
    const last = this.frames.at(-1);
    if (last !== undefined) this.frames.push({ ...last, key: caps[key] ?? key, holdMs: viewMs.press });
  }

  /** Extends the last frame by this time. */
  rest(holdMs: number): void {
    const last = this.frames.pop();
    if (last !== undefined) this.frames.push({ ...last, holdMs: last.holdMs + holdMs });
  }

  async #frame(focused: Terminal): Promise<Omit<Frame, "holdMs">> {
    const screens = [];
    for (const terminal of this.#terminals) screens.push({ terminal, captured: await terminal.atRest() });
    let rows: Run[][] = [];
    let cursor: Cursor | undefined;
    for (const { terminal, captured } of screens) {
      if (rows.length > 0) rows = [...rows, ...styledRows(`\u001B[2m${"─".repeat(this.#columns)}`)];
      const own = terminal === focused ? await terminal.cursor() : undefined;
      if (own !== undefined) cursor = { ...own, row: own.row + rows.length };
      rows = [...rows, ...styledRows(captured)];
    }
    return { rows: withStands(rows, this.#stands), cursor, caption: this.caption, key: undefined };
  }
}

/** The more rows are new, the longer the frame takes to read. */
function readingMs(before: Frame | undefined, now: Pick<Frame, "rows">): number {
  const known = new Set(before === undefined ? [] : linesOf(before));
  const fresh = linesOf(now).filter((line) => !known.has(line)).length;
  return Math.min(viewMs.least + fresh * viewMs.perNewRow, viewMs.most);
}

/** The text of its rows, without those that are empty. */
export function linesOf({ rows }: Pick<Frame, "rows">): string[] {
  return rows
    .map((runs) =>
      runs
        .map(({ text }) => text)
        .join("")
        .trim(),
    )
    .filter((line) => line !== "");
}
