import type { Edit } from "../merge.js";

/** A kind of settings file that people write by hand, edited so that their comments and their layout stay. */
export interface Format {
  readonly name: string;
  /** Throws if it cannot be read; an empty file is an empty object. */
  parse(text: string): unknown;
  /** Gets text with plain line feeds and no byte order mark. */
  edit(text: string, edits: readonly Edit[]): string;
  /** Everything in it as text of its own, for a person to copy. */
  print(value: unknown): string;
}
