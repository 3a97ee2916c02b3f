import { type Color, type Run, widthOf } from "../styled-rows.js";
import type { Tones } from "./tones.js";

/** The size of a cell, and where in it the text stands. */
export const cell = { width: 9, height: 20, baseline: 14.5 } as const;

/** Pictographs and other signs that fonts make wider or narrower than a cell; each is placed by itself. */
const SIGN = /[\u2190-\u2bff\ue000-\uf8ff\u{1f000}-\u{1faff}]/u;

/** One row of the screen, from its own top. Empty if nothing is on it. */
export function rowMarkup(runs: readonly Run[], tones: Tones): string {
  return runs.map((run) => backgroundOf(run, tones)).join("") + runs.map((run) => inkOf(run, tones)).join("");
}

function backgroundOf({ column, text, style }: Run, tones: Tones): string {
  const { color, background, isInverse } = style;
  if (background === undefined && !isInverse) return "";
  // Inverse text has the terminal's text colour behind it.
  const tone = !isInverse ? tones.behind(background) : color === undefined ? tones.part("text") : tones.text(color);
  const size = `width="${widthOf(text) * cell.width}" height="${cell.height}"`;
  return `<rect${at("x", column * cell.width)} ${size} class="${tone}"/>`;
}

function inkOf({ column, text, style }: Run, tones: Tones): string {
  const { color, background, isBold, isDim, isItalic, isUnderlined, isInverse } = style;
  const tone = isInverse ? tones.behind(background) : tones.text(color);
  const looks = [tone, isBold && "b", isDim && "d", isItalic && "i", isUnderlined && "u"].filter(Boolean).join(" ");
  let markup = "";
  for (const { from, words } of piecesOf(text)) {
    const left = (column + from) * cell.width;
    const art = boxArt(words, { left, width: cell.width, height: cell.height });
    if (art !== undefined) {
      const shades = isDim ? " d" : "";
      markup +=
        art.stroke === 0
          ? `<path d="${art.path}" class="${isInverse ? tone : areaOf(color, tones)}${shades}"/>`
          : `<path d="${art.path}" class="s${tone}${shades}" stroke-width="${art.stroke}"/>`;
      continue;
    }
    const isSign = SIGN.test(words);
    const x = isSign ? left + (widthOf(words) * cell.width) / 2 : left;
    const length = isSign || words.length === 1 ? "" : ` textLength="${widthOf(words) * cell.width}"`;
    markup += `<text${at("x", x)} y="${cell.baseline}"${length} class="${looks}${isSign ? " m" : ""}">${escaped(words)}</text>`;
  }
  return markup;
}

/** Blocks are areas, not text. */
function areaOf(color: Color, tones: Tones): string {
  return color === undefined ? tones.part("text") : tones.behind(color);
}

/** Words as they are, without the blank ends and long gaps between them; signs and art one by one. */
function piecesOf(text: string): { from: number; words: string }[] {
  const pieces: { from: number; words: string }[] = [];
  for (const { index, 0: found } of text.matchAll(
    new RegExp(`${SIGN.source}|(?:(?!${SIGN.source})\\S| (?! ))+`, "gu"),
  )) {
    const words = found.trim();
    if (words === "") continue;
    const before = text.slice(0, index) + found.slice(0, found.indexOf(words));
    pieces.push({ from: widthOf(before), words });
  }
  return pieces;
}

function at(name: string, value: number): string {
  return value === 0 ? "" : ` ${name}="${value}"`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

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

interface Cell {
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** The path of a character that is art; undefined if it is text. `stroke` is 0 where the path is filled. */
function boxArt(character: string, { left, width, height }: Cell): { path: string; stroke: number } | undefined {
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
