import type { Slot } from "./equivalents.js";
import type { Json } from "./json-schema.js";

/** A word that the tool's schema must list; the first that it does is taken. */
export interface OneOf {
  readonly oneOf: readonly string[];
}

export type Facts = Readonly<Partial<Record<Slot, Json | OneOf | undefined>>>;

/** What is to be said to a tool, in no client's words. */
export interface Wish {
  /** Without these the call would do something else: a tool that cannot take them does not qualify. */
  readonly must: Facts;
  /** Said where the tool has a parameter for it. */
  readonly may?: Facts;
  /** Said only where the tool insists. */
  readonly ifRequired?: Facts;
  /** What one call is to do several times, e.g. replacements. */
  readonly each?: readonly Facts[];
  /** For parameters that want a sentence. */
  readonly purpose: string;
}

export function isOneOf(fact: Json | OneOf): fact is OneOf {
  return typeof fact === "object" && fact !== null && "oneOf" in fact;
}

/** On the wire 0 stands for "not given" as often as absence does. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
