import { z } from "zod";

/** A ceiling counts units over a span. */
export const spans = ["conversation", "hour", "day"] as const;
export const units = ["tokens", "requests", "dollars"] as const;

export type Span = (typeof spans)[number];
export type Unit = (typeof units)[number];

export const MAX_COUNT = 1_000_000_000_000;
export const MAX_DOLLARS = 1_000_000;
/** Above 100, because usage can exceed what the plan includes. */
const MAX_PERCENT = 1_000;
const MAX_PATTERNS = 100;
const MAX_PATTERN_CHARACTERS = 200;
/** Each is an exception that the owner made for one conversation. */
export const MAX_ALLOWED = 1_000;

/** The ceilings of one span. An absent unit has none. */
export function ceilingsSchema() {
  const amounts = `an amount above 0 and up to ${MAX_DOLLARS}`;
  const dollars = z.number(amounts).gt(0, amounts).max(MAX_DOLLARS, amounts).optional();
  return z.strictObject({ tokens: count(), requests: count(), dollars });
}

function count() {
  const counts = `a whole number from 1 to ${MAX_COUNT}`;
  return z.int(counts).min(1, counts).max(MAX_COUNT, counts).optional();
}

/** The owner's limits. Built only when a file is read, to keep startup fast. */
function limitsSchema() {
  const percents = `a number from 1 to ${MAX_PERCENT}`;
  const percent = z.number(percents).min(1, percents).max(MAX_PERCENT, percents);
  const patterns = `up to ${MAX_PATTERNS} model names, in which * matches any text`;
  const pattern = z.string(patterns).min(1, patterns).max(MAX_PATTERN_CHARACTERS, patterns);
  const models = z.array(pattern, patterns).min(1, patterns).max(MAX_PATTERNS, patterns).optional();
  const ceilings = ceilingsSchema();
  return z.strictObject({
    conversation: ceilings.optional(),
    hour: ceilings.optional(),
    day: ceilings.optional(),
    /** The share of the plan from which models are refused: those that match a pattern, or all. */
    plan: z.strictObject({ percent, models }).optional(),
    /** Requests that one client may have open at once, and may send in a minute. */
    client: z.strictObject({ concurrent: count(), perMinute: count() }).optional(),
    /** Exceptions from the conversation ceilings: higher ones, or none. */
    allowed: z
      .record(z.string().max(100), ceilings)
      .refine((all) => Object.keys(all).length <= MAX_ALLOWED, `at most ${MAX_ALLOWED} conversations`)
      .optional(),
  });
}

export type Limits = z.infer<ReturnType<typeof limitsSchema>>;
export type Ceilings = z.infer<ReturnType<typeof ceilingsSchema>>;
export type SpanCeilings = { readonly [Each in Span]?: Ceilings | undefined };
export type PlanLimit = NonNullable<Limits["plan"]>;

/** Default ceilings only warn. Each is at least ten times what a long day of work takes (docs/guide/spend-limits.md). */
export const defaultCeilings = {
  conversation: { tokens: 60_000_000, requests: 1_000 },
  hour: { tokens: 600_000_000, requests: 15_000 },
  day: { tokens: 1_200_000_000, requests: 30_000 },
} as const satisfies SpanCeilings;

/** These refuse even by default, because only a runaway program reaches them; a client may retry. */
export const defaultClientLimits = { concurrent: 128, perMinute: 12_000 } as const;
export type ClientLimits = Readonly<Record<keyof typeof defaultClientLimits, number>>;

/** Invalid limits. The message names the location and what is expected there. */
export class LimitsError extends Error {
  override readonly name = "LimitsError";
}

/** @throws LimitsError */
export function checkLimits(read: unknown): Limits {
  const result = limitsSchema().safeParse(read);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0]].join(".");
    throw new LimitsError(`There is no limit ${name}. The limits are ${limitNames.join(", ")}.`);
  }
  const what = issue?.code === "invalid_type" && place === "" ? "one JSON object" : issue?.message;
  throw new LimitsError(`${place || "The file"} must be ${what}.`);
}

export const limitNames = [
  ...spans.flatMap((span) => units.map((unit) => `${span}.${unit}` as const)),
  "plan.percent",
  "client.concurrent",
  "client.perMinute",
] as const;

export type LimitName = (typeof limitNames)[number];

export function isLimitName(name: string): name is LimitName {
  return limitNames.some((known) => known === name);
}

/** One limit, ready to be compared: the owner's, else the default, or that of a key. */
export interface Ceiling {
  readonly of: "owner" | "default" | "key";
  readonly span: Span;
  readonly unit: Unit;
  readonly max: number;
  /** Usage from here on is warned about. */
  readonly warnFrom: number;
}

export const WARN_SHARE = 0.9;
/** Refused tool results may cost the whole turn, so they are accepted a little longer than new questions. */
export const RESULTS_SHARE = 1.1;

/** All ceilings that are set or have a default. */
export function ceilingRows(of: "owner" | "key", set: SpanCeilings, usual: SpanCeilings = {}): readonly Ceiling[] {
  return spans.flatMap((span) =>
    units.flatMap((unit) => {
      const own = set[span]?.[unit];
      const max = own ?? usual[span]?.[unit];
      return max === undefined ? [] : [ceiling(own === undefined ? "default" : of, span, unit, max)];
    }),
  );
}

/** The ceiling of a conversation with an exception; undefined if the exception lifts it. */
export function raised(general: Ceiling, allowed: Ceilings): Ceiling | undefined {
  if (units.every((unit) => allowed[unit] === undefined)) return undefined;
  const own = allowed[general.unit];
  return own === undefined ? general : ceiling("owner", general.span, general.unit, Math.max(general.max, own));
}

/** Such as `day.tokens`, or `key.day.tokens`. */
export function nameOf({ of, span, unit }: Ceiling): string {
  return of === "key" ? `key.${span}.${unit}` : `${span}.${unit}`;
}

function ceiling(of: Ceiling["of"], span: Span, unit: Unit, max: number): Ceiling {
  return { of, span, unit, max, warnFrom: max * WARN_SHARE };
}
