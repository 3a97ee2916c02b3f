import type { JsonObject } from "../../../turn/read-json.js";
import type { PatternCompiler } from "../pattern/program.js";
import type { Check, SchemaNode } from "./node.js";

/** All drafts before 2019 are close enough to draft 7. */
export type Draft = "draft-07" | "2020-12";

export interface Reader {
  readonly draft: Draft;
  readonly patterns: PatternCompiler;
  /** The node of a part of the schema. Its rules may be read later. */
  node(schema: unknown): SchemaNode;
  /** The target of a reference, and the name under which other documents may override it. */
  refer(reference: string): { readonly node: SchemaNode; readonly dynamicName: string | undefined };
  onUnchecked(why: string): void;
}

/** Thrown for a schema that cannot be used. Its message says why. */
export class UselessSchema extends Error {}

/** Reads the value of a keyword. Returns undefined when the keyword has no rule of its own. */
export type ReadKeyword = (value: unknown, reader: Reader, siblings: JsonObject) => Check | undefined;

/** The keywords in the order in which they are checked. */
export type Keywords = readonly (readonly [name: string, read: ReadKeyword])[];
