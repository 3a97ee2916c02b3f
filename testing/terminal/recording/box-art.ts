/** Lines from the middle of a cell to its edges, and how heavy they are. Drawn, they meet; as text, fonts leave gaps. */
type Arm = "n" | "e" | "s" | "w";
const lines: Readonly<Record<string, { readonly arms: readonly Arm[]; readonly isHeavy?: true }>> = {
  "│": { arms: ["n", "s"] },
  "┃": { arms: ["n", "s"], isHeavy: true },
  "─": { arms: ["e", "w"] },
  "━": { arms: ["e", "w"], isHeavy: true },
  "┌": { arms: ["e", "s"] },
  "╭": { arms: ["e", "s"] },
  "┐": { arms: ["s", "w"] },
  "╮": { arms: ["s", "w"] },
  "└": { arms: ["n", "e"] },
  "╰": { arms: ["n", "e"] },
  "┘": { arms: ["n", "w"] },
  "╯": { arms: ["n", "w"] },
  "├": { arms: ["n", "e", "s"] },
  "┤": { arms: ["n", "s", "w"] },
  "┬": { arms: ["e", "s", "w"] },
  "┴": { arms: ["n", "e", "w"] },
  "┼": { arms: ["n", "e", "s", "w"] },
  "╹": { arms: ["n"], isHeavy: true },
  "╻": { arms: ["s"], isHeavy: true },
  "╌": { arms: ["e", "w"] },
};

/** Parts of a cell that are filled: left, top, width and height, in eighths. */
const blocks: Readonly<Record<string, readonly [number, number, number, number]>> = {
  "█": [0, 0, 8, 8],
  "▀": [0, 0, 8, 4],
  "▄": [0, 4, 8, 4],
  "▌": [0, 0, 4, 8],
  "▐": [4, 0, 4, 8],
  "■": [1, 2, 6, 4],
};

export interface Cell {
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** The path of a character that is art; undefined if it is text. `stroke` is 0 where the path is filled. */
export function boxArt(character: string, { left, width, height }: Cell): { path: string; stroke: number } | undefined {
  const block = blocks[character];
  if (block !== undefined) {
    const [x, y, wide, high] = block;
    const [across, down] = [(width * wide) / 8, (height * high) / 8];
    return {
      path: `M${round(left + (width * x) / 8)} ${round((height * y) / 8)}h${round(across)}v${round(down)}h${round(-across)}z`,
      stroke: 0,
    };
  }
  const line = lines[character];
  if (line === undefined) return undefined;
  const [x, y] = [left + width / 2, height / 2];
  const start = `M${round(x)} ${round(y)}`;
  const ends = { n: "V0", s: `V${height}`, e: `H${round(left + width)}`, w: `H${round(left)}` };
  return { path: line.arms.map((arm) => start + ends[arm]).join(""), stroke: line.isHeavy ? 2.6 : 1.2 };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
