import { readFileSync } from "node:fs";

/** A block of a page, between its fences. */
export interface Fence {
  /** Path of the page from the project's root. */
  readonly page: string;
  readonly language: string;
  /** The comment on the line before the block: what a test does with it, or `untested: ` and why none does. Readers do not see it. */
  readonly mark: string;
  /** Words after the language in the opening fence. Readers do see them, so there should be none. */
  readonly shown: string;
  readonly code: string;
  readonly firstLine: string;
}

const FENCE = /^(?:<!-- ([^\n]*) -->\n)?```(\S*)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm;

export function fencesOf(root: string, path: string): Fence[] {
  return fencesIn(readFileSync(path, "utf8"), path.slice(root.length));
}

/** @throws when a reader would see a fence that this parser does not. */
export function fencesIn(text: string, page: string): Fence[] {
  const fences = [...text.matchAll(FENCE)].map(([, mark = "", language = "", shown = "", code = ""]) => {
    return {
      page,
      language,
      mark,
      shown,
      code,
      firstLine: code.split("\n", 1)[0] ?? "",
    };
  });
  const lines = text.split("\n").filter((line) => /^\s*(```|~~~)/.test(line)).length;
  if (lines !== 2 * fences.length) throw new Error(`${page} has fences that are indented, open or of another kind.`);
  return fences;
}
