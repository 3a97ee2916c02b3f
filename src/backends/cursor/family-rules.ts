/** Keywords of JSON Schema that combine schemas. */
export type Combinator = "anyOf" | "oneOf" | "allOf";

/** What the provider of a family of models takes otherwise than the others. */
export interface FamilyRule {
  /** The names of its models, with `*` for any text. The first rule that fits a name counts. */
  readonly models: string;
  /** Keywords that may not occur anywhere in the schema of a tool. */
  readonly refusedKeywords: readonly Combinator[];
}

/**
 * Families without a rule take every schema. One tool with a combinator makes the provider of Fable models refuse the whole request;
 * measured with one tool each by two reporters, in August and September 2026, while Grok models took the same tools
 * (docs/protocol/live-behaviour.md).
 */
export const familyRules: readonly FamilyRule[] = [
  { models: "claude-fable-*", refusedKeywords: ["anyOf", "oneOf", "allOf"] },
];
