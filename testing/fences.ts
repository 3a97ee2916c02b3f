import { readFileSync } from "node:fs";

/** A block of a page, between its fences. */
export interface Fence {
  /** Path of the page from the project's root. */
  readonly page: string;
  readonly language: string;
  /** What the opening fence says after the language: what a test does with the block, or why none does. */
  readonly mark: string;
  readonly code: string;
  readonly firstLine: string;
}

const FENCE = /^```(\S*)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm;

export function fencesOf(root: string, path: string): Fence[] {
  const text = readFileSync(path, "utf8");
  const fences = [...text.matchAll(FENCE)].map(([, language = "", mark = "", code = ""]) => {
    return { page: path.slice(root.length), language, mark, code, firstLine: code.split("\n", 1)[0] ?? "" };
  });
  // One that is indented, or never closed, would be seen by readers alone.
  const lines = text.split("\n").filter((line) => /^\s*(```|~~~)/.test(line)).length;
  if (lines !== 2 * fences.length) throw new Error(`${path} has fences that are indented, open or of another kind.`);
  return fences;
}
