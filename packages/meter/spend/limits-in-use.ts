import type { LedgerReader } from "../ledger/index.js";
import {
  type Ceiling,
  ceilingRows,
  defaultCeilings,
  defaultClientLimits,
  type Limits,
  type Span,
  type SpanCeilings,
  spans,
  type Unit,
  units,
} from "./limits.js";
import type { PlanUse } from "./plan-share.js";
import { boundsOf, type CostOf, Spent, type Window } from "./spend-counters.js";

const MINUTE_MS = 60_000;
/** How many entries are searched for the busiest conversation and client. */
const MAX_ENTRIES = 1_000;
const MAX_CONVERSATIONS = 50;

/** A limit with its current usage. */
export interface LimitInUse {
  readonly name: string;
  /** The name of the key that it belongs to; null for limits of the gateway. */
  readonly key: string | null;
  /** Null if unlimited. */
  readonly max: number | null;
  /** Null if unknown. */
  readonly used: number | null;
  readonly unit: Unit | "percent";
  readonly endsMs: number | null;
  readonly of: "owner" | "default" | "key" | "nobody";
  readonly isRefusing: boolean;
  /** The conversation or the client that uses most of it. */
  readonly most: string | null;
  readonly models: readonly string[] | null;
  /** Tokens that a limit in dollars misses because their model has no price; null for other limits. */
  readonly unpricedTokens: number | null;
}

interface UseSources {
  readonly reader: Pick<LedgerReader, "entries" | "rollUps" | "thread">;
  readonly limits: Limits;
  readonly keys: readonly { readonly name: string; readonly limits: SpanCeilings }[];
  readonly costOf: CostOf;
  /** Undefined if Cursor was not asked. */
  readonly plan: PlanUse | undefined;
  readonly nowMs: number;
}

/** Every limit with its usage according to the ledger. */
export function limitsInUse(sources: UseSources): LimitInUse[] {
  const { limits, keys, nowMs } = sources;
  const set = ceilingRows("owner", limits, defaultCeilings);
  const setFor = (span: Span, unit: Unit) => set.find((ceiling) => ceiling.span === span && ceiling.unit === unit);
  const busiest = busiestConversations(sources);
  const windows = { hour: windowsIn("hour", sources), day: windowsIn("day", sources) };
  const rowOf = (span: Span, unit: Unit, ceiling: Ceiling | undefined, key: string | null): LimitInUse => {
    const used = span === "conversation" ? (busiest[unit] ?? busiest.tokens) : windows[span](key);
    return {
      name: `${span}.${unit}`,
      key,
      max: ceiling?.max ?? null,
      used: used?.spent[unit] ?? (span === "conversation" && key !== null ? null : 0),
      unit,
      endsMs: span === "conversation" ? null : boundsOf(span, nowMs).endMs,
      of: ceiling?.of ?? "nobody",
      isRefusing: ceiling !== undefined && ceiling.of !== "default",
      most: used?.most ?? null,
      models: null,
      unpricedTokens: unit === "dollars" ? (used?.spent.unpricedTokens ?? 0) : null,
    };
  };
  return [
    ...spans.flatMap((span) => units.map((unit) => rowOf(span, unit, setFor(span, unit), null))),
    ...keys.flatMap((key) =>
      ceilingRows("key", key.limits).map((ceiling) => rowOf(ceiling.span, ceiling.unit, ceiling, key.name)),
    ),
    planRow(sources),
    ...clientRows(sources),
  ];
}

interface Use {
  readonly spent: Spent;
  readonly most: string | null;
}

/** Usage in the current window: of all requests on the gateway's own account (`null`), or of the client with the name of a key. */
function windowsIn(window: Window, { reader, costOf, nowMs }: UseSources): (client: string | null) => Use {
  const rows = reader.rollUps(window, boundsOf(window, nowMs).startMs, nowMs + 1);
  return (client) => {
    const spent = new Spent();
    for (const row of rows) {
      if (client === null ? row.account === "" : row.isNamedKey && row.client === client)
        spent.addBooked(row, costOf(row.model, row.tokens));
    }
    return { spent, most: null };
  };
}

function busiestConversations({ reader, costOf, nowMs }: UseSources): Partial<Record<Unit, Use>> {
  const found: Partial<Record<Unit, Use>> = {};
  const models = new Map<string, string>();
  for (const { thread, model } of reader.entries({ fromMs: boundsOf("day", nowMs).startMs, limit: MAX_ENTRIES })) {
    if (thread !== null && !models.has(thread) && models.size < MAX_CONVERSATIONS) models.set(thread, model);
  }
  for (const [thread, model] of models) {
    const taken = reader.thread(thread);
    if (taken === undefined) continue;
    const spent = new Spent().addBooked(taken, costOf(model, taken.tokens));
    for (const unit of units) {
      if (spent[unit] > (found[unit]?.spent[unit] ?? 0)) found[unit] = { spent, most: thread };
    }
  }
  return found;
}

const row = { key: null, endsMs: null, most: null, models: null, unpricedTokens: null } as const;

function planRow({ limits, plan }: UseSources): LimitInUse {
  const { percent = null, models = null } = limits.plan ?? {};
  return {
    ...row,
    name: "plan.percent",
    max: percent,
    used: plan?.percentUsed ?? null,
    unit: "percent",
    endsMs: plan?.resets ? Date.parse(plan.resets) : null,
    of: percent === null ? "nobody" : "owner",
    isRefusing: percent !== null,
    models,
  };
}

function clientRows({ reader, limits, nowMs }: UseSources): LimitInUse[] {
  const counts = new Map<string, number>();
  for (const { client } of reader.entries({ fromMs: nowMs - MINUTE_MS, limit: MAX_ENTRIES * 20 })) {
    counts.set(client, (counts.get(client) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return (["concurrent", "perMinute"] as const).map((name) => ({
    ...row,
    name: `client.${name}`,
    max: limits.client?.[name] ?? defaultClientLimits[name],
    // The number of open requests is known only to the gateway process.
    used: name === "perMinute" ? (most?.[1] ?? 0) : null,
    unit: "requests",
    of: limits.client?.[name] === undefined ? "default" : "owner",
    isRefusing: true,
    most: name === "perMinute" ? (most?.[0] ?? null) : null,
  }));
}
