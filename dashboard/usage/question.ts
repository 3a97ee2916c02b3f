import type { Query } from "../parts/route.js";

/** How far back the view looks, by its name in the address. */
export const ranges = {
  today: { title: "Today", days: 1 },
  "7d": { title: "7 days", days: 7 },
  "30d": { title: "30 days", days: 30 },
  "90d": { title: "90 days", days: 90 },
} as const;
export type Range = keyof typeof ranges;

export const measures = { tokens: "Tokens", cost: "Cost" } as const;
export type Measure = keyof typeof measures;

export interface Question {
  readonly range: Range;
  readonly measure: Measure;
}

const usual: Question = { range: "7d", measure: "tokens" };

/** What the address asks for. */
export function parseQuestion({ range = "", measure = "" }: Query): Question {
  return {
    range: isNameIn(ranges, range) ? range : usual.range,
    measure: isNameIn(measures, measure) ? measure : usual.measure,
  };
}

/** What the address says. What is usual is not in it. */
export function queryOf({ range, measure }: Question): Query {
  return { range: range === usual.range ? "" : range, measure: measure === usual.measure ? "" : measure };
}

function isNameIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}
