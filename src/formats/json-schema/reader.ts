import type { PatternCompiler } from "../pattern/program.js";
import type { Check, JsonObject, SchemaNode } from "./node.js";

/** Everything before 2019 is near enough to draft 7. */
export type Draft = "draft-07" | "2020-12";

/** What a keyword needs of the schema around it. */
export interface Reader {
  readonly draft: Draft;
  readonly patterns: PatternCompiler;
  /** A part of the schema, read now or later. */
  node(schema: unknown): SchemaNode;
  /** What a reference leads to, and the name by which other documents may put something in its place. */
  refer(reference: string): { readonly node: SchemaNode; readonly dynamicName: string | undefined };
  /** A rule that is right but is not looked at, in words. */
  onUnchecked(why: string): void;
}

/** A schema that cannot be used; its message says why. */
export class UselessSchema extends Error {}

/** Reads the value of a keyword. Undefined when it says nothing by itself. */
export type ReadKeyword = (value: unknown, reader: Reader, siblings: JsonObject) => Check | undefined;

/** In the order in which they are looked at. */
export type Keywords = readonly (readonly [name: string, read: ReadKeyword])[];
