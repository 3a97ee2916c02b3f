import { transcriptKeys } from "../sessions/fingerprint.js";
import type { Message } from "../turn/turn.js";

/** Requests that a program repeats by itself come sooner than this; a person needs longer to read an error. */
const SOONEST_MS = 2_000;
/** Beyond this number the oldest conversation is forgotten, and asked about again. */
const MAX_ASKED = 1_000;

interface Asked {
  readonly askedMs: number;
  /** The turn that came after the question. It passes however often it is sent, and so do its results. */
  confirmedTurn: string | undefined;
}

/** The keys of a request: whatever its settings, and whatever its client has edited since the first answer. */
interface RequestKeys {
  readonly conversation: string;
  readonly turn: string;
}

/** The conversations whose client was asked whether much may be sent again. Each turn is asked about once. */
export class ColdConfirmations {
  readonly #elapsed: () => number;
  /** Oldest first. */
  readonly #asked = new Map<string, Asked>();

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Whether a turn has yet to be confirmed. Changes nothing. */
  isDue(owner: string, messages: readonly Message[]): boolean {
    return this.#isDue(keysOf(owner, messages));
  }

  /** Takes a turn as the confirmation of an earlier question, or else remembers that the question is asked now. */
  confirm(owner: string, messages: readonly Message[]): boolean {
    const keys = keysOf(owner, messages);
    const asked = this.#asked.get(keys.conversation);
    if (asked !== undefined && !this.#isDue(keys)) {
      asked.confirmedTurn ??= keys.turn;
      return true;
    }
    // A program that keeps asking must not put off the time at which its user may go on.
    if (asked === undefined || asked.confirmedTurn !== undefined) this.#ask(keys.conversation);
    return false;
  }

  #isDue({ conversation, turn }: RequestKeys): boolean {
    const asked = this.#asked.get(conversation);
    if (asked === undefined) return true;
    if (asked.confirmedTurn !== undefined) return asked.confirmedTurn !== turn;
    return this.#elapsed() - asked.askedMs < SOONEST_MS;
  }

  #ask(conversation: string): void {
    this.#asked.delete(conversation); // keeps the newest last
    this.#asked.set(conversation, { askedMs: this.#elapsed(), confirmedTurn: undefined });
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
  }
}

/**
 * A conversation is known by all up to the model's first answer, which later edits leave alone; a turn by all up to the newest
 * user message, which the rounds of its tools leave alone.
 */
function keysOf(owner: string, messages: readonly Message[]): RequestKeys {
  const keys = transcriptKeys(messages);
  const upTo = (at: number) => `${owner} ${keys[at + 1] ?? ""}`;
  return {
    conversation: upTo(messages.findIndex(({ role }) => role === "assistant")),
    turn: upTo(messages.findLastIndex(({ role }) => role === "user")),
  };
}
