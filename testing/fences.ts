import { readFileSync } from "node:fs";

/** A block of a page, between its fences. */
export interface Fence {
  /** Path of the page from the project's root. */
  readonly page: string;
  readonly language: string;
  /** The words after the language in the opening fence: what a test does with the block, or why none does. */
  readonly mark: string;
  readonly code: string;
  readonly firstLine: string;
}

const FENCE = /^```(\S*)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm;

export function fencesOf(root: string, path: string): Fence[] {
  return fencesIn(readFileSync(path, "utf8"), path.slice(root.length));
}

/** @throws when a reader would see a fence that this parser does not. */
export function fencesIn(text: string, page: string): Fence[] {
  const fences = [...text.matchAll(FENCE)].map(([, language = "", mark = "", code = ""]) => {
    return { page, language, mark, code, firstLine: code.split("\n", 1)[0] ?? "" };
  });
  const lines = text.split("\n").filter((line) => /^\s*(```|~~~)/.test(line)).length;
  if (lines !== 2 * fences.length) throw new Error(`${page} has fences that are indented, open or of another kind.`);
  return fences;
}
