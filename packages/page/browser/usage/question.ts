import type { Query } from "../parts/route.js";

/** Ranges of the view, by their names in the address. */
export const ranges = { today: "Today", "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const;
export const daysOf = { today: 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type Range = keyof typeof ranges;

export const measures = { tokens: "Tokens", cost: "Cost" } as const;
export type Measure = keyof typeof measures;

export interface Question {
  readonly range: Range;
  readonly measure: Measure;
}

const usual: Question = { range: "7d", measure: "tokens" };

export function parseQuestion({ range = "", measure = "" }: Query): Question {
  return {
    range: isNameIn(ranges, range) ? range : usual.range,
    measure: isNameIn(measures, measure) ? measure : usual.measure,
  };
}

/** The query of the address, without defaults. */
export function queryOf({ range, measure }: Question): Query {
  return { range: range === usual.range ? "" : range, measure: measure === usual.measure ? "" : measure };
}

function isNameIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}
