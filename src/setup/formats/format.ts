import type { Edit } from "../merge.js";

/** A kind of settings file that people write by hand. Edits keep its comments and layout. */
export interface Format {
  readonly name: string;
  /** An empty file is an empty object. @throws {Error} The text cannot be parsed. */
  parse(text: string): unknown;
  /** The text has plain line feeds and no byte order mark. */
  edit(text: string, edits: readonly Edit[]): string;
  /** Writes everything as a new text, for a person to copy. */
  print(value: unknown): string;
}
