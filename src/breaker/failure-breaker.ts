import { createHash } from "node:crypto";
import { digestMessages } from "../sessions/fingerprint.js";
import { canonical } from "../turn/canonical.js";
import type { ErrorCode, ErrorKind, GatewayError } from "../turn/error.js";
import type { Turn } from "../turn/turn.js";
import { type HeldFailure, HeldFailures, leftOf } from "./held-failures.js";

/** What clients repeat by themselves although Cursor was asked. The rest is cheap, or mended by the person at the client. */
const heldKinds: ReadonlySet<ErrorKind> = new Set(["upstream", "timeout", "overloaded", "rate-limit", "quota"]);
/** These never got as far as Cursor: another attempt costs nothing there, and goes well as soon as the way is free. */
const notAtCursor: ReadonlySet<ErrorCode> = new Set(["shutting_down", "quota_exceeded", "upstream_unreachable"]);

/** Leave to ask Cursor, and the duty to say what came of it. */
export interface Permit {
  /** No retries where the same has just failed; undefined = as usual. */
  readonly maxRetries: 0 | undefined;
  /** The first event is there. */
  answering(): void;
  /** It failed before the first event. Returns the error to tell, with the time that is to pass. */
  failed(error: GatewayError): GatewayError;
  /** A reply that had begun is over. Returns the error to tell, if there is one. */
  ended(failure: GatewayError | undefined): GatewayError | undefined;
}

/** For requests that go on with what Cursor was asked before. */
export const freePermit: Permit = {
  maxRetries: undefined,
  answering: () => {},
  failed: (error) => error,
  ended: (failure) => failure,
};

/**
 * Keeps programs that repeat a failing request from repeating it at Cursor: it gets the same error at once until its time is
 * over, and then one attempt is let through. After a limit, all requests of the same owner for the same model wait.
 */
export class FailureBreaker {
  readonly #now: () => number;
  readonly #requests: HeldFailures;
  readonly #limits: HeldFailures;

  constructor(now: () => number) {
    this.#now = now;
    this.#requests = new HeldFailures(now);
    this.#limits = new HeldFailures(now);
  }

  /** Throws the earlier failure where it is too soon to ask again. */
  admit(turn: Turn, owner: string): Permit {
    const keys = new RequestKeys(turn, owner);
    const limit = this.#limits.isEmpty ? undefined : this.#limits.find(keys.model);
    if (limit !== undefined) this.#refuseWhileHeld(limit, "Cursor has just set a limit for this model");
    const held = this.#requests.isEmpty ? undefined : this.#requests.find(keys.request);
    if (held !== undefined) {
      this.#refuseWhileHeld(held, "the same request has just failed");
      if (held.isOnTrial) throw again(held, held.holdMs, "another attempt at the same request is under way");
      held.isOnTrial = true;
    }
    return this.#permit(keys, held, (held ?? limit) !== undefined);
  }

  #refuseWhileHeld(held: HeldFailure, reason: string): void {
    const leftMs = leftOf(held, this.#now());
    if (leftMs > 0) throw again(held, leftMs, `${reason}; it will in ${Math.ceil(leftMs / 1_000)} s`);
  }

  #permit(keys: RequestKeys, held: HeldFailure | undefined, isTrial: boolean): Permit {
    const startedMs = this.#now();
    let isAnswering = false;
    const settle = () => {
      if (held !== undefined) held.isOnTrial = false;
    };
    const failed = (error: GatewayError): GatewayError => {
      settle();
      if (!heldKinds.has(error.kind) || notAtCursor.has(error.code)) return error;
      const told = isTrial ? error.with({ wasRetried: true }) : error;
      const { holdMs } = this.#requests.add(keys.request, told, startedMs);
      if (error.code === "rate_limit_exceeded") this.#limits.add(keys.model, told, startedMs);
      return told.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, holdMs) });
    };
    return {
      maxRetries: isTrial ? 0 : undefined,
      answering() {
        isAnswering = true;
        settle();
      },
      failed,
      ended: (failure) => {
        if (failure !== undefined) return isAnswering ? failed(failure) : failure;
        if (!this.#limits.isEmpty) this.#limits.delete(keys.model);
        if (!this.#requests.isEmpty) this.#requests.delete(keys.request);
        return undefined;
      },
    };
  }
}

function again({ error }: HeldFailure, waitMs: number, reason: string): GatewayError {
  const text = `${error.message} (Curlew did not ask Cursor again, because ${reason}.)`;
  return error.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, waitMs), isFromBreaker: true }, text);
}

/** Under which names failures of a request are found again. Worked out when they are needed: most requests never fail. */
class RequestKeys {
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
