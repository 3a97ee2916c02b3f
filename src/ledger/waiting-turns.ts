import type { RequestRecord } from "../events/index.js";
import type { CountedTokens } from "./entry.js";
import type { WaitingTurn } from "./log-item.js";
import { countedTokens } from "./write-entry.js";

/** Runs that wait are few: the gateway has a limit of its own. */
const MAX_WAITING_TURNS = 10_000;

/**
 * The turns whose run waits for the client's results, each with what it has taken so far. That is booked if the process dies before
 * the turn goes on: nobody else could say then what it took.
 */
export class WaitingTurns {
  /** By the ids of the turns. */
  readonly #turns = new Map<string, WaitingTurn>();

  get size(): number {
    return this.#turns.size;
  }

  values(): Iterable<WaitingTurn> {
    return this.#turns.values();
  }

  add(turn: WaitingTurn): void {
    this.#turns.delete(turn.turnId); // the oldest stays first
    this.#turns.set(turn.turnId, turn);
    if (this.#turns.size <= MAX_WAITING_TURNS) return;
    for (const oldest of this.#turns.keys()) return void this.#turns.delete(oldest);
  }

  /** A request has left its run waiting. Returns the turn with all of its rounds. */
  pause(key: string, { turnId, round, usage }: RequestRecord): WaitingTurn | undefined {
    const taken = countedTokens(usage);
    if (taken === null) return undefined;
    const before = this.#turns.get(turnId);
    const tokens = before === undefined ? taken : sumOf(before.tokens, taken);
    const turn = { type: "waiting", key, turnId, round, tokens: { ...tokens, estimated: true } } as const;
    this.add(turn);
    return turn;
  }

  /** A request of this turn has ended, and what the turn took up to here is in its entry or in a later wait. */
  end(turnId: string, round: number): void {
    const turn = this.#turns.get(turnId);
    if (turn !== undefined && turn.round < round) this.#turns.delete(turnId);
  }

  /** The run that this request left waiting was given up. */
  abandon(key: string): void {
    for (const turn of this.#turns.values()) if (turn.key === key) return void this.#turns.delete(turn.turnId);
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
