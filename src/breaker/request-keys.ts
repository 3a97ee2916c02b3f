import { createHash } from "node:crypto";
import { digestMessages } from "../sessions/fingerprint.js";
import { canonical } from "../turn/canonical.js";
import type { Turn } from "../turn/turn.js";

/** Under which names failures of a request are found again. Worked out when they are needed: most requests never fail. */
export class RequestKeys {
  readonly #turn: Turn;
  readonly #owner: string;
  #request: string | undefined;

  constructor(turn: Turn, owner: string) {
    this.#turn = turn;
    this.#owner = owner;
  }

  /** The owner's requests for one model. */
  get model(): string {
    return hash([this.#owner, this.#turn.model]);
  }

  /**
   * The same for a request and for what clients make of it when they send it again. How much of the answer is wanted, and
   * whether in one piece, does not count: it is no reason for a failure, and some clients change it for their second try.
   */
  get request(): string {
    this.#request ??= hash([this.model, ...askedIn(this.#turn)]);
    return this.#request;
  }
}

function askedIn({ system, messages, tools, effort, toolChoice, format, workspace }: Turn): readonly unknown[] {
  const offered = tools.map(({ name, description, inputSchema }) => [name, description, canonical(inputSchema)]);
  return [steadyWords(system), digestMessages(messages), offered, effort, toolChoice, format, workspace];
}

/**
 * System text without what clients write anew for each request: times, dates, ids of sessions and commits. Every word with a
 * digit in it may be one of those. The other words do count: where one question is asked about many documents, the document
 * may be all that tells the requests apart.
 */
function steadyWords(system: string): string {
  return system
    .split(/\s+/)
    .filter((word) => word !== "" && !/\d/.test(word))
    .join(" ");
}

function hash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
