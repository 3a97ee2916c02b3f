import { randomUUID } from "node:crypto";
import type { AcpSession } from "./session.js";

const PREFIX = "acp:";

/** Sessions between two turns. A turn that goes on names one as its state: by another name after each turn, so that one which
 * has heard more in the meantime is not taken for the one that is meant. */
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

  /** It is the taker's alone from then on. */
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
