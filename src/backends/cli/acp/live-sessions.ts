import { randomUUID } from "node:crypto";
import type { AcpSession } from "./session.js";

const PREFIX = "acp:";

/**
 * Keeps sessions between two turns. The next turn names its session by a state, which changes after each turn, so that a session
 * which has moved on is not taken for the one that was meant.
 */
export class LiveSessions {
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, AcpSession>();

  constructor(maxSessions: number) {
    this.#maxSessions = maxSessions;
  }

  keep(session: AcpSession): Uint8Array {
    for (const [name, kept] of this.#sessions) if (kept.isOver) this.#sessions.delete(name);
    for (const [name, oldest] of this.#sessions) {
      if (this.#sessions.size < this.#maxSessions) break;
      this.#sessions.delete(name);
      oldest.close();
    }
    const name = `${PREFIX}${randomUUID()}`;
    this.#sessions.set(name, session);
    return Buffer.from(name);
  }

  /** Removes the session and returns it, so that it belongs to the caller alone. */
  take(state: Uint8Array): AcpSession | undefined {
    const name = Buffer.from(state).toString();
    const session = this.#sessions.get(name);
    this.#sessions.delete(name);
    return session?.isOver === false ? session : undefined;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }
}
