import { z } from "zod";

/** What a ceiling counts over, and what it counts. */
export const spans = ["hour", "day", "conversation"] as const;
export const units = ["tokens", "requests", "dollars"] as const;

export type Span = (typeof spans)[number];
export type Unit = (typeof units)[number];

/** The ceilings of one key; what is absent has none. */
export type KeyLimits = { readonly [Each in Span]?: { readonly [Kind in Unit]?: number | undefined } | undefined };

export const MAX_COUNT = 1_000_000_000_000;
export const MAX_DOLLARS = 1_000_000;

const Count = z.int().positive().max(MAX_COUNT);
const Ceilings = z.strictObject({
  tokens: Count.optional(),
  requests: Count.optional(),
  dollars: z.number().positive().max(MAX_DOLLARS).optional(),
});

export const Limits = z.strictObject({
  hour: Ceilings.optional(),
  day: Ceilings.optional(),
  conversation: Ceilings.optional(),
});

/** `day.tokens 1000000`, one for each ceiling. */
export function listLimits(limits: KeyLimits): { readonly span: Span; readonly unit: Unit; readonly max: number }[] {
  return spans.flatMap((span) =>
    units.flatMap((unit) => {
      const max = limits[span]?.[unit];
      return max === undefined ? [] : [{ span, unit, max }];
    }),
  );
}
