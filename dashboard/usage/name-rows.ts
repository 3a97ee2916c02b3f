import type { Sums, UsageAnswer } from "../../src/page/contract.js";
import type { Measure } from "./question.js";
import { addUpBy, allTokens } from "./sums.js";

export interface NameRow {
  /** Empty if it is not known. */
  readonly name: string;
  readonly sums: Sums;
  /** Null for the cost of what has no list price. */
  readonly value: number | null;
  /** Its part of all; null where its value is not known. */
  readonly share: number | null;
}

/** The rows of an answer by model or client, the largest first; what has no price comes last, by its tokens. */
export function rowsByName(answer: UsageAnswer, measure: Measure): NameRow[] {
  const column = answer.by === "client" ? "client" : "model";
  const all = amountOf(answer.total, measure) ?? 0;
  return Array.from(addUpBy(answer.data, column), ([name, sums]) => {
    const value = amountOf(sums, measure);
    return { name, sums, value, share: value === null ? null : all === 0 ? 0 : value / all };
  }).sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || allTokens(b.sums) - allTokens(a.sums));
}

/** The rows in the order in which these names stand; those that are not among them follow. */
export function inOrder(rows: readonly NameRow[], names: readonly string[]): NameRow[] {
  const places = new Map(names.map((name, place) => [name, place]));
  const placeOf = ({ name }: NameRow) => places.get(name) ?? names.length;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function amountOf(sums: Sums, measure: Measure): number | null {
  return measure === "tokens" ? allTokens(sums) : sums.cost.dollars;
}
