import type { CacheMissCause, RequestRecord } from "../events/index.js";

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

/**
 * Conversations whose turns, one after the other, all send their history again. A client that does so by itself, and all day, is
 * the dearest mistake there is; its turns are slowed down, each twice as long as the one before.
 */
export class ColdStreaks {
  /** Oldest first. Conversations without dear turns are not here. */
  readonly #streaks = new Map<string, DearTurn[]>();

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
    this.#streaks.delete(thread); // keeps the newest last
    this.#streaks.set(thread, streak);
    for (const oldest of this.#streaks.keys()) {
      if (this.#streaks.size <= MAX_STREAKS) break;
      this.#streaks.delete(oldest);
    }
  }

  /** Whether the next turn of a conversation has to wait; undefined = no. */
  slowdownOf(thread: string | undefined, nowMs: number): Slowdown | undefined {
    if (thread === undefined || !this.#streaks.has(thread)) return undefined;
    const streak = this.#recent(thread, nowMs);
    if (streak.length < FREE_TURNS) return undefined;
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (streak.length - FREE_TURNS), LONGEST_WAIT_MS);
    const tokens = streak.reduce((sum, turn) => sum + turn.tokens, 0);
    const sent = `${streak.length} turns in a row sent ${tokens.toLocaleString("en")} tokens again`;
    const warning = `${sent} ${reasonOf(streak)} Until a turn goes on where the conversation was, each waits a while; this one has waited ${waitMs / 1_000} s. To see more: curlew why`;
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
