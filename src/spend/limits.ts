import { z } from "zod";

/** What a ceiling counts over, and what it counts. */
export const spans = ["conversation", "hour", "day"] as const;
export const units = ["tokens", "requests", "dollars"] as const;

export type Span = (typeof spans)[number];
export type Unit = (typeof units)[number];

/** What is absent has no ceiling. */
export type Ceilings = { readonly [Each in Unit]?: number | undefined };
export type SpanCeilings = { readonly [Each in Span]?: Ceilings | undefined };

/** How much one client may ask for at once, and in a minute. */
export interface ClientLimits {
  readonly concurrent?: number | undefined;
  readonly perMinute?: number | undefined;
}

/** The share of the plan after which models are refused: those that fit a pattern, or all. */
export interface PlanLimit {
  readonly percent: number;
  readonly models?: readonly string[] | undefined;
}

/** What the owner has set. */
export interface Limits extends SpanCeilings {
  readonly plan?: PlanLimit | undefined;
  readonly client?: ClientLimits | undefined;
  /** Conversations that may go on beyond the ceilings for all: up to their own, or without an end. */
  readonly allowed?: Readonly<Record<string, Ceilings>> | undefined;
}

/** Ceilings that nobody has chosen only warn. Each is at least ten times what a long day of work takes (docs/guide/spend-limits.md). */
export const defaultCeilings = {
  conversation: { tokens: 60_000_000, requests: 1_000 },
  hour: { tokens: 600_000_000, requests: 15_000 },
  day: { tokens: 1_200_000_000, requests: 30_000 },
} as const satisfies SpanCeilings;

/** These refuse, because no person reaches them; a client may try again. */
export const defaultClientLimits = { concurrent: 128, perMinute: 12_000 } as const satisfies ClientLimits;

export const MAX_COUNT = 1_000_000_000_000;
export const MAX_DOLLARS = 1_000_000;
/** A plan can be used beyond what it includes. */
const MAX_PERCENT = 1_000;
const MAX_PATTERNS = 100;
const MAX_PATTERN_CHARACTERS = 200;
/** Each is a decision of the owner about one conversation. */
export const MAX_ALLOWED = 1_000;

/** Made when a file is read, and not at each start. */
function limitsSchema() {
  const counts = `a whole number from 1 to ${MAX_COUNT}`;
  const count = z.int(counts).min(1, counts).max(MAX_COUNT, counts).optional();
  const amounts = `an amount above 0 and up to ${MAX_DOLLARS}`;
  const dollars = z.number(amounts).gt(0, amounts).max(MAX_DOLLARS, amounts).optional();
  const percents = `a number from 1 to ${MAX_PERCENT}`;
  const percent = z.number(percents).min(1, percents).max(MAX_PERCENT, percents);
  const patterns = `up to ${MAX_PATTERNS} names of models, in which * stands for anything`;
  const pattern = z.string(patterns).min(1, patterns).max(MAX_PATTERN_CHARACTERS, patterns);
  const ceilings = z.strictObject({ tokens: count, requests: count, dollars });
  return z.strictObject({
    conversation: ceilings.optional(),
    hour: ceilings.optional(),
    day: ceilings.optional(),
    plan: z
      .strictObject({
        percent,
        models: z.array(pattern, patterns).min(1, patterns).max(MAX_PATTERNS, patterns).optional(),
      })
      .optional(),
    client: z.strictObject({ concurrent: count, perMinute: count }).optional(),
    allowed: z
      .record(z.string().max(100), ceilings)
      .refine((all) => Object.keys(all).length <= MAX_ALLOWED, `at most ${MAX_ALLOWED} conversations`)
      .optional(),
  });
}

/** Limits that cannot be used. The message names the place, and says what must be there. */
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
