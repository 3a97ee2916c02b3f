import { BoundedMap } from "@curlew/gateway/turn/bounded-map.js";
import type { CacheMissCause, RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import type { ClientLimits } from "./limits.js";

const MINUTE_MS = 60_000;
/** Retry delay for a client with too many open requests. */
const SOON_MS = 1_000;
/** Program names can be made up, so all programs with one key together get at most this many times the limit of one. */
const PROGRAMS_OF_A_KEY = 8;
/** Beyond this number, each new rate evicts an idle one. */
const MAX_RATES = 2_000;
/** How many of the oldest rates are examined for eviction. */
const LOOKS = 8;

/** Request rate of one client. */
interface Rate {
  open: number;
  minuteStartMs: number;
  inMinute: number;
}

/** Rates by name. Clients choose the names, so the map is bounded, with lookup and eviction in constant time. */
export class RecentRates {
  /** Roughly in LRU order: entries move to the end when their minute is renewed or when they are examined. */
  readonly #rates = new Map<string, Rate>();

  get size(): number {
    return this.#rates.size;
  }

  of(name: string, nowMs: number): Rate {
    const known = this.#rates.get(name);
    if (known === undefined) {
      if (this.#rates.size >= MAX_RATES) this.#forgetOne();
      const rate = { open: 0, minuteStartMs: nowMs, inMinute: 0 };
      this.#rates.set(name, rate);
      return rate;
    }
    const agoMs = nowMs - known.minuteStartMs;
    if (agoMs >= MINUTE_MS || agoMs < 0) {
      known.minuteStartMs = nowMs;
      known.inMinute = 0;
      this.#moveToEnd(name, known);
    }
    return known;
  }

  /** If all examined rates have open requests, the map grows by one; it is then still bounded by the number of open requests. */
  #forgetOne(): void {
    let looks = 0;
    for (const [name, rate] of this.#rates) {
      if (rate.open === 0) {
        this.#rates.delete(name);
        return;
      }
      this.#moveToEnd(name, rate);
      if (++looks === LOOKS) return;
    }
  }

  #moveToEnd(name: string, rate: Rate): void {
    this.#rates.delete(name);
    this.#rates.set(name, rate);
  }
}

/** A client exceeds a rate limit, given by its name in the settings of the owner. */
interface TooMuch {
  readonly limit: "client.concurrent" | "client.perMinute";
  readonly message: string;
  readonly retryAfterMs: number;
}

/** Open requests and requests per minute: by key or account, and by each program that uses it. */
export class ClientRates {
  readonly #programs = new RecentRates();
  readonly #keys = new RecentRates();
  /** The open requests, keyed by record because clients may choose equal ids. */
  readonly #open = new Map<RequestRecord, readonly Rate[]>();

  /** Counts a request, unless limits are given and refuse it. */
  enter(record: RequestRecord, limits: ClientLimits | undefined, nowMs: number): TooMuch | undefined {
    const name = record.account === "" ? record.caller : `${record.caller} ${record.account}`;
    const program = this.#programs.of(`${name} ${record.client}`, nowMs);
    const key = this.#keys.of(name, nowMs);
    const tooMuch =
      limits &&
      (tooMuchOf("This client has", program, limits, 1, nowMs) ??
        tooMuchOf("All programs with this key together have", key, limits, PROGRAMS_OF_A_KEY, nowMs));
    if (tooMuch !== undefined) return tooMuch;
    const rates = [program, key];
    for (const rate of rates) {
      rate.open++;
      rate.inMinute++;
    }
    this.#open.set(record, rates);
    return undefined;
  }

  /** The request has ended. Refused ones, and those that joined another's reply, never entered. */
  leave(record: RequestRecord): void {
    for (const rate of this.#open.get(record) ?? []) rate.open--;
    this.#open.delete(record);
  }
}

function tooMuchOf(who: string, rate: Rate, limits: ClientLimits, times: number, nowMs: number): TooMuch | undefined {
  const { concurrent, perMinute } = limits;
  if (rate.open >= concurrent * times) {
    const message = `${who} ${rate.open} requests open, the maximum. Wait until one has ended, or raise the limit: curlew limits set client.concurrent ${2 * concurrent}`;
    return { limit: "client.concurrent", message, retryAfterMs: SOON_MS };
  }
  if (rate.inMinute < perMinute * times) return undefined;
  const message = `${who} sent ${rate.inMinute} requests within a minute, the maximum. Wait for the next minute, or raise the limit: curlew limits set client.perMinute ${2 * perMinute}`;
  return { limit: "client.perMinute", message, retryAfterMs: rate.minuteStartMs + MINUTE_MS - nowMs };
}

/** Resending less than this is not worth a delay. */
const DEAR_TOKENS = 10_000;
/** Number of expensive turns in a row that are tolerated. The next one is slowed down. */
const FREE_TURNS = 5;
/** Older turns do not count towards a streak. */
const MEMORY_MS = 10 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** Beyond this number the oldest conversation is evicted. */
const MAX_STREAKS = 1_000;

/** A turn that sent much of its conversation again. */
interface DearTurn {
  readonly atMs: number;
  readonly tokens: number;
  readonly cause: CacheMissCause | undefined;
}

/** The delay of a turn, and the reason. */
export interface Slowdown {
  readonly waitMs: number;
  readonly warning: string;
}

/** Throttles conversations whose turns all resend their history, with exponential back-off. */
export class ColdStreaks {
  /** Only conversations with expensive turns. */
  readonly #streaks = new BoundedMap<string, DearTurn[]>(MAX_STREAKS);

  /** Records how a turn continued its conversation. One that was not cold ends the streak. */
  note({ thread, round, continuity, sentAgainTokens, cacheMiss }: RequestRecord, nowMs: number): void {
    // The results of a turn's tools go to its open run, which says nothing about how the turn began.
    if (thread === undefined || continuity === undefined || round > 0) return;
    if (!continuity.startsWith("cold:")) {
      this.#streaks.delete(thread);
      return;
    }
    if (sentAgainTokens < DEAR_TOKENS) return;
    const streak = this.#recent(thread, nowMs);
    streak.push({ atMs: nowMs, tokens: sentAgainTokens, cause: cacheMiss });
    this.#streaks.set(thread, streak);
  }

  /** The delay of a conversation's next turn; undefined = none. */
  slowdownOf(thread: string | undefined, nowMs: number): Slowdown | undefined {
    if (thread === undefined || !this.#streaks.has(thread)) return undefined;
    const streak = this.#recent(thread, nowMs);
    if (streak.length < FREE_TURNS) return undefined;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (streak.length - FREE_TURNS), LONGEST_WAIT_MS);
    const tokens = streak.reduce((sum, turn) => sum + turn.tokens, 0);
    const sent = `${streak.length} turns in a row sent ${tokens.toLocaleString("en")} tokens again`;
    const warning = `${sent} ${reasonOf(streak)} Turns are delayed until one continues the conversation without that; this one waited ${waitMs / 1_000} s. For details: curlew logs --why`;
    return { waitMs, warning };
  }

  #recent(thread: string, nowMs: number): DearTurn[] {
    return (this.#streaks.get(thread) ?? []).filter(({ atMs }) => Math.abs(nowMs - atMs) < MEMORY_MS);
  }
}

const reasons: Readonly<Record<CacheMissCause, string>> = {
  system: "because the system prompt changes each time; keep times, ids and other changing text out of it.",
  tools: "because the list of tools changes each time; offer the same tools in every request.",
  messages: "because earlier messages change each time; send them unchanged.",
  model: "because the model changes each time; keep to one.",
  nothing: "although the client changed nothing; the state of the conversation was lost.",
  unknown: "because their conversation was unknown here; send the assistant's messages back unchanged.",
};

/** The most frequent reason. */
function reasonOf(streak: readonly DearTurn[]): string {
  const counts = new Map<CacheMissCause, number>();
  for (const { cause = "unknown" } of streak) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return reasons[most?.[0] ?? "unknown"];
}
