import type { RequestRecord } from "../events/index.js";
import type { CountedTokens } from "./entry.js";
import type { AbandonedItem, WaitingTurn } from "./log-item.js";
import { countedTokens } from "./write-entry.js";

/** Runs that wait are few: the gateway has a limit of its own. */
const MAX_WAITING_TURNS = 10_000;

/**
 * The turns whose run waits for the client's results, each with what it has taken so far. That is booked if the process dies before
 * the turn goes on: nobody else could say then what it took.
 */
export class WaitingTurns {
  /** By the key of the request that left the run waiting. */
  readonly #turns = new Map<string, WaitingTurn>();

  get size(): number {
    return this.#turns.size;
  }

  values(): Iterable<WaitingTurn> {
    return this.#turns.values();
  }

  add(turn: WaitingTurn): void {
    this.#turns.set(turn.key, turn);
    if (this.#turns.size <= MAX_WAITING_TURNS) return;
    for (const oldest of this.#turns.keys()) return void this.#turns.delete(oldest);
  }

  /** A request has left its run waiting. Returns the turn with all of its rounds. */
  pause(key: string, { turnId, requestId, round, usage }: RequestRecord): WaitingTurn | undefined {
    const before = this.#before(turnId, round);
    const taken = countedTokens(usage);
    if (taken === null) return undefined;
    const tokens = before === undefined ? taken : sumOf(before.tokens, taken);
    this.end(turnId, round);
    const turn = { type: "waiting", key, turnId, requestId, round, tokens: { ...tokens, estimated: true } } as const;
    this.add(turn);
    return turn;
  }

  /** A request of this turn has ended, and what the turn took up to here is in its entry or in a later wait. */
  end(turnId: string, round: number): void {
    const before = this.#before(turnId, round);
    if (before !== undefined) this.#turns.delete(before.key);
  }

  abandon({ key, requestId }: Pick<AbandonedItem, "key" | "requestId">): void {
    if (key !== undefined) return void this.#turns.delete(key);
    for (const turn of this.#turns.values()) {
      if (turn.requestId === requestId) return void this.#turns.delete(turn.key);
    }
  }

  /** Clients may choose ids, so a turn may have the id of another. But only a later round goes on with a turn. */
  #before(turnId: string, round: number): WaitingTurn | undefined {
    if (round === 0) return undefined;
    for (const turn of this.#turns.values()) if (turn.turnId === turnId && turn.round < round) return turn;
    return undefined;
  }
}

function sumOf(one: CountedTokens, other: CountedTokens): CountedTokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    reasoning: one.reasoning + other.reasoning,
    estimated: true,
  };
}
