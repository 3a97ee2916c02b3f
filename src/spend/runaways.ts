import type { CacheMissCause, RequestRecord } from "../events/channels.js";
import { BoundedMap } from "../turn/bounded-map.js";
import type { ClientLimits } from "./limits.js";

const MINUTE_MS = 60_000;
/** How soon a client may try again that has too many requests open. */
const SOON_MS = 1_000;
/** A program can call itself anything. So all that show the same key may together ask for as much as this many programs. */
const PROGRAMS_OF_A_KEY = 8;
/** Beyond this number one that asks for nothing now is forgotten for each that comes. */
const MAX_RATES = 2_000;
/** How many of the oldest are looked at for that. */
const LOOKS = 8;

/** How much somebody asks for. */
interface Rate {
  open: number;
  minuteStartMs: number;
  inMinute: number;
}

/** Rates by names that clients choose, so their number is bounded, and finding one takes the same time however many there are. */
export class RecentRates {
  /** Those that were found or looked at last are at the end. */
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

  /** Where all that are looked at have requests open there is one more: there are never more of those than open requests. */
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

/** A client asks for too much at once. The limit is named as the owner would name it. */
interface TooMuch {
  readonly limit: "client.concurrent" | "client.perMinute";
  readonly message: string;
  readonly retryAfterMs: number;
}

/** How much each client asks for at once and in a minute: a key or an account, and a program that uses it. */
export class ClientRates {
  readonly #programs = new RecentRates();
  readonly #keys = new RecentRates();
  /** The requests that are open. An id may be the client's own, so the record itself is the key. */
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

  /** The request is over. One that was refused, or has joined the reply of another, was never here. */
  leave(record: RequestRecord): void {
    for (const rate of this.#open.get(record) ?? []) rate.open--;
    this.#open.delete(record);
  }
}

function tooMuchOf(who: string, rate: Rate, limits: ClientLimits, times: number, nowMs: number): TooMuch | undefined {
  const { concurrent, perMinute } = limits;
  if (rate.open >= concurrent * times) {
    const message = `${who} ${rate.open} requests open, which is all that may be open at once. Wait until one has ended, or raise the limit: curlew limits set client.concurrent ${2 * concurrent}`;
    return { limit: "client.concurrent", message, retryAfterMs: SOON_MS };
  }
  if (rate.inMinute < perMinute * times) return undefined;
  const message = `${who} sent ${rate.inMinute} requests within a minute, which is all that may be sent. Wait for the next minute, or raise the limit: curlew limits set client.perMinute ${2 * perMinute}`;
  return { limit: "client.perMinute", message, retryAfterMs: rate.minuteStartMs + MINUTE_MS - nowMs };
}

/** Less than this is not worth a second of anybody's time. */
const DEAR_TOKENS = 10_000;
/** So many dear turns in a row are nothing special. The next one is slowed down. */
const FREE_TURNS = 5;
/** Turns further back are another story. */
const MEMORY_MS = 10 * 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** Beyond this number the oldest conversation is forgotten. */
const MAX_STREAKS = 1_000;

/** A turn that sent much of its conversation again. */
interface DearTurn {
  readonly atMs: number;
  readonly tokens: number;
  readonly cause: CacheMissCause | undefined;
}

/** How long a turn has to wait, and why. */
export interface Slowdown {
  readonly waitMs: number;
  readonly warning: string;
}

/** Slows down conversations whose turns all send their history again: each turn waits twice as long as the one before. */
export class ColdStreaks {
  /** Conversations without dear turns are not here. */
  readonly #streaks = new BoundedMap<string, DearTurn[]>(MAX_STREAKS);

  /** Notes how a turn went. One that went on where the conversation was ends the streak. */
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

  /** Whether the next turn of a conversation has to wait; undefined = no. */
  slowdownOf(thread: string | undefined, nowMs: number): Slowdown | undefined {
    if (thread === undefined || !this.#streaks.has(thread)) return undefined;
    const streak = this.#recent(thread, nowMs);
    if (streak.length < FREE_TURNS) return undefined;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (streak.length - FREE_TURNS), LONGEST_WAIT_MS);
    const tokens = streak.reduce((sum, turn) => sum + turn.tokens, 0);
    const sent = `${streak.length} turns in a row sent ${tokens.toLocaleString("en")} tokens again`;
    const warning = `${sent} ${reasonOf(streak)} Until a turn goes on where the conversation was, each waits a while; this one has waited ${waitMs / 1_000} s. To see more: curlew logs --why`;
    return { waitMs, warning };
  }

  #recent(thread: string, nowMs: number): DearTurn[] {
    return (this.#streaks.get(thread) ?? []).filter(({ atMs }) => Math.abs(nowMs - atMs) < MEMORY_MS);
  }
}

const reasons: Readonly<Record<CacheMissCause, string>> = {
  system: "because the system prompt changes each time; keep times, ids and other news out of it.",
  tools: "because the list of tools changes each time; offer the same tools in every request.",
  messages: "because earlier messages change each time; send them as they were.",
  model: "because the model changes each time; stay with one.",
  nothing: "although the client changed nothing; the state of the conversation was lost.",
  unknown: "because their conversation was not known here; send the assistant's messages back as they came.",
};

/** The reason that most of them have. */
function reasonOf(streak: readonly DearTurn[]): string {
  const counts = new Map<CacheMissCause, number>();
  for (const { cause = "unknown" } of streak) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return reasons[most?.[0] ?? "unknown"];
}
