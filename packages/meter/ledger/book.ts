import {
  type ConductDay,
  type CountedTokens,
  Counters,
  count,
  countTurn,
  type LedgerEntry,
  type RollUp,
  Spans,
  uncachedTokens,
} from "./entry.js";
import { type Abandoned, type Ended, type Line, type Opened, type Paused, type Received, readEntry } from "./line.js";

/** Requests that the owner has deleted. */
export interface ForgetRule {
  readonly number: number;
  /** Requests that began before this moment. */
  readonly beforeMs: number;
  /** Only those of this client. */
  readonly client: string | undefined;
}

export function isForgotten(rules: readonly ForgetRule[], { atMs, client }: { atMs: number; client: string }): boolean {
  return rules.some((rule) => atMs < rule.beforeMs && (rule.client === undefined || rule.client === client));
}

/** The lines about one request, as far as they have been read. */
export interface RequestLines {
  readonly received: Received;
  opened?: Opened | undefined;
  /** Set only while its run waits. */
  paused?: Paused | undefined;
  abandoned?: Abandoned | undefined;
}

/** The entry of a request whose process died first. Its tokens are those of the turn so far, or the planned input of its run. */
export function interruptedEntry({ received, opened, paused, abandoned }: RequestLines): LedgerEntry {
  const { input = 0, cached: cacheRead = 0 } = opened ?? {};
  const planned = input > 0 ? { ...new Counters().tokens, input, cacheRead, estimated: true } : null;
  const names = { model: opened?.model || received.model, turnId: opened?.turnId || received.id };
  return {
    ...readEntry({ ...opened, ...received, ...names }),
    tokens: abandoned?.tokens ?? paused?.tokens ?? planned,
    outcome: "interrupted",
    message: "The gateway process ended before the request did.",
    abandoned: abandoned?.reason ?? (paused === undefined ? null : "lost"),
  };
}

/** An entry whose run waits or was given up, with the estimate of its tokens. */
export function withEstimate(entry: LedgerEntry, tokens: CountedTokens, reason: string | null): LedgerEntry {
  return { ...entry, tokens: entry.tokens ?? tokens, abandoned: reason };
}

export const conductCounts = ["requests", "runs", "retries", "cancelled"] as const;
export const conductPeaks = ["peakRequests", "peakRuns"] as const;
export type Conduct = Record<(typeof conductCounts)[number] | (typeof conductPeaks)[number], number> & {
  readonly abandoned: Record<string, number>;
};

export function noConduct(): Conduct {
  return { requests: 0, runs: 0, retries: 0, cancelled: 0, abandoned: {}, peakRequests: 0, peakRuns: 0 };
}

export function addConduct(to: Conduct, added: Omit<ConductDay, "startMs">): void {
  for (const name of conductCounts) to[name] += added[name];
  for (const name of conductPeaks) to[name] = Math.max(to[name], added[name]);
  for (const [reason, count] of Object.entries(added.abandoned)) {
    to.abandoned[reason] = (to.abandoned[reason] ?? 0) + count;
  }
}

/** The row for a span, client, model and account; created on first use. */
export function rowIn(
  rows: Map<string, RollUp & Counters>,
  { startMs, client, isNamedKey, model, account }: Omit<RollUp, keyof Counters>,
): RollUp & Counters {
  const key = `${startMs}\t${client}\t${isNamedKey}\t${model}\t${account}`;
  const row = rows.get(key) ?? { startMs, client, isNamedKey, model, account, ...new Counters() };
  rows.set(key, row);
  return row;
}

const MAX_DEAREST = 100;

/** The most expensive turns, each as the request on which it is booked. */
export class DearestTurns {
  #entries: LedgerEntry[] = [];

  add(entry: LedgerEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * MAX_DEAREST) this.#entries = this.list;
  }

  get list(): LedgerEntry[] {
    return this.#entries.toSorted((one, other) => costOf(other) - costOf(one)).slice(0, MAX_DEAREST);
  }
}

function costOf({ tokens }: LedgerEntry): number {
  return tokens === null ? 0 : uncachedTokens(tokens);
}

/** Sums by hour, client, model and account, by conversation, and overall; and the most expensive turns. */
export class Totals {
  readonly hours = new Map<string, RollUp & Counters>();
  readonly threads = new Map<string, Counters>();
  readonly conduct = noConduct();
  readonly dearest = new DearestTurns();
  readonly #spans = new Spans();
  #last: (RollUp & Counters) | undefined;

  post(entry: LedgerEntry): void {
    count(this.#row(entry), entry, entry.tokens);
    if (entry.thread !== null) count(this.#thread(entry.thread), entry, entry.tokens);
    if (entry.tokens !== null) this.dearest.add(entry);
    const { conduct } = this;
    conduct.requests++;
    conduct.runs += entry.runs;
    conduct.retries += entry.retries;
    if (entry.outcome === "client-left") conduct.cancelled++;
    if (entry.abandoned !== null) this.#abandon(entry.abandoned);
  }

  /** Books a later estimate for a posted request, unless its tokens are already known. */
  postEstimate(entry: LedgerEntry, tokens: CountedTokens, abandoned: string | null): void {
    if (entry.tokens === null) {
      countTurn(this.#row(entry), tokens);
      if (entry.thread !== null) countTurn(this.#thread(entry.thread), tokens);
      this.dearest.add(withEstimate(entry, tokens, abandoned));
    }
    if (abandoned !== null) this.#abandon(abandoned);
  }

  /** Caches the last row: most requests belong to the same one, and building its key costs more than adding up. */
  #row({ atMs, client, isNamedKey, model, account }: LedgerEntry): RollUp & Counters {
    const startMs = this.#spans.startOfHour(atMs);
    const last = this.#last;
    const isSame =
      last?.client === client && last.isNamedKey === isNamedKey && last.model === model && last.account === account;
    if (last?.startMs === startMs && isSame) return last;
    this.#last = rowIn(this.hours, { startMs, client, isNamedKey, model, account });
    return this.#last;
  }

  #thread(thread: string): Counters {
    const counters = this.threads.get(thread) ?? new Counters();
    this.threads.set(thread, counters);
    return counters;
  }

  #abandon(reason: string): void {
    const { abandoned } = this.conduct;
    abandoned[reason] = (abandoned[reason] ?? 0) + 1;
  }
}

/** Replays the lines of one file, in the order in which they were written, into sums. */
export class FileBook {
  /** Number of the last rule applied. */
  readonly rule: number;
  readonly #totals = new Totals();
  readonly #rules: readonly ForgetRule[];
  readonly #open = new Map<string, RequestLines>();
  /** Ended requests whose run still waits. */
  readonly #waiting = new Map<string, { readonly entry: LedgerEntry; readonly paused: Paused }>();

  /** Requests that match a rule are left out. */
  constructor(rules: readonly ForgetRule[], rule: number) {
    this.#rules = rules;
    this.rule = rules.at(-1)?.number ?? rule;
  }

  /** True when no request is open and no run waits. */
  get isComplete(): boolean {
    return this.#open.size === 0 && this.#waiting.size === 0;
  }

  add(line: Line): void {
    const request = this.#open.get(line.key);
    switch (line.t) {
      case "received":
        if (!isForgotten(this.#rules, line)) this.#open.set(line.key, { received: line });
        return;
      case "opened":
        if (request !== undefined) request.opened ??= line;
        return;
      case "paused":
        if (line.after !== undefined) this.#waiting.delete(line.after);
        if (request !== undefined) request.paused = line;
        return;
      case "ended":
        this.#end(line, request);
        return;
      case "abandoned":
        if (request !== undefined) request.abandoned ??= line;
        else this.#abandon(line);
        return;
      case "moved":
        this.#waiting.delete(line.key);
    }
  }

  /** Sums that add up to those of the file. Waiting runs count as estimates; open requests count once their process is dead. */
  parts(isAlive: boolean): readonly Totals[] {
    if (this.isComplete) return [this.#totals];
    const late = new Totals();
    for (const { entry, paused } of this.#waiting.values()) {
      late.postEstimate(entry, paused.tokens, isAlive ? null : "lost");
    }
    if (!isAlive) for (const request of this.#open.values()) late.post(interruptedEntry(request));
    return [this.#totals, late];
  }

  /** The lines about all open requests, to start a new file with. */
  *unfinished(): IterableIterator<Line> {
    for (const { received, opened, paused, abandoned } of this.#open.values()) {
      for (const line of [received, opened, paused, abandoned]) if (line !== undefined) yield line;
    }
  }

  #end(line: Ended, request: RequestLines | undefined): void {
    const { key, after, entry, openRequests, openRuns } = line;
    this.#open.delete(key);
    if (after !== undefined) this.#waiting.delete(after);
    if (isForgotten(this.#rules, entry)) return;
    this.#totals.post(entry);
    const { conduct } = this.#totals;
    conduct.peakRequests = Math.max(conduct.peakRequests, openRequests);
    conduct.peakRuns = Math.max(conduct.peakRuns, openRuns);
    const paused = request?.paused;
    if (paused !== undefined && entry.abandoned === null) this.#waiting.set(key, { entry, paused });
  }

  #abandon({ key, reason, tokens }: Abandoned): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    this.#totals.postEstimate(waiting.entry, tokens, reason);
  }
}
