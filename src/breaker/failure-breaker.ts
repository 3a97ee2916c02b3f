import { createHash } from "node:crypto";
import { transcriptKeys } from "../sessions/fingerprint.js";
import { canonical } from "../turn/canonical.js";
import type { ErrorCode, ErrorKind, GatewayError } from "../turn/error.js";
import type { Turn } from "../turn/turn.js";
import { type HeldFailure, HeldFailures, leftOf } from "./held-failures.js";

/** Failures that clients repeat by themselves and that reach Cursor. Other failures are cheap, or the person at the client fixes them. */
const heldKinds: ReadonlySet<ErrorKind> = new Set(["upstream", "timeout", "overloaded", "rate-limit", "quota"]);
/** These never reached Cursor. Another attempt costs nothing there, and succeeds as soon as the cause is gone. */
const notAtCursor: ReadonlySet<ErrorCode> = new Set(["shutting_down", "quota_exceeded", "upstream_unreachable"]);

/** Permission to ask Cursor. Its holder must report the outcome. */
export interface Permit {
  /** 0 when an equal request has just failed; undefined = as usual. */
  readonly maxRetries: 0 | undefined;
  /** Reports that the first event has come. */
  answering(): void;
  /** Reports a failure before the first event. Returns the error for the client, with the time to wait. */
  failed(error: GatewayError): GatewayError;
  /** Reports the end of a reply. Returns the error for the client, if there is one. */
  ended(failure: GatewayError | undefined): GatewayError | undefined;
}

/** For requests that continue a run: Cursor has been asked already. */
export const freePermit: Permit = {
  maxRetries: undefined,
  answering: () => {},
  failed: (error) => error,
  ended: (failure) => failure,
};

/**
 * Keeps clients that repeat a failing request from repeating it at Cursor. The request gets the same error at once until its time
 * is over, and then one attempt is let through. After a rate limit, all requests of the same owner for the same model wait.
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

  /** @throws GatewayError, the earlier failure with its code, when it is too soon to ask Cursor again */
  admit(turn: Turn, owner: string): Permit {
    const keys = new RequestKeys(turn, owner);
    const limit = this.#limits.isEmpty ? undefined : this.#limits.find(keys.model);
    if (limit !== undefined) this.#refuseWhileHeld(limit, "Cursor has just set a limit for this model");
    const held = this.#requests.isEmpty ? undefined : this.#requests.find(keys.request);
    if (held !== undefined) {
      this.#refuseWhileHeld(held, "the same request has just failed");
      if (held.isOnTrial) throw heldError(held, held.holdMs, "another attempt at the same request is under way");
      held.isOnTrial = true;
    }
    return this.#permit(keys, held, (held ?? limit) !== undefined);
  }

  #refuseWhileHeld(held: HeldFailure, reason: string): void {
    const leftMs = leftOf(held, this.#now());
    if (leftMs > 0) throw heldError(held, leftMs, `${reason}; it will in ${Math.ceil(leftMs / 1_000)} s`);
  }

  #permit(keys: RequestKeys, held: HeldFailure | undefined, isTrial: boolean): Permit {
    const startedMs = this.#now();
    let isAnswering = false;
    const settle = () => {
      if (held !== undefined) held.isOnTrial = false;
    };
    const failed = (error: GatewayError): GatewayError => {
      settle();
      if (error.isOwnRefusal || !heldKinds.has(error.kind) || notAtCursor.has(error.code)) return error;
      const reported = isTrial ? error.with({ wasRetried: true }) : error;
      const { holdMs } = this.#requests.add(keys.request, reported, startedMs);
      if (error.code === "rate_limit_exceeded") this.#limits.add(keys.model, reported, startedMs);
      return reported.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, holdMs) });
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

function heldError({ error }: HeldFailure, waitMs: number, reason: string): GatewayError {
  const text = `${error.message} (Curlew did not ask Cursor again, because ${reason}.)`;
  return error.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, waitMs), isFromBreaker: true }, text);
}

/** The keys under which failures of a request are held. They are computed when needed, because most requests never fail. */
class RequestKeys {
  readonly #turn: Turn;
  readonly #owner: string;
  #request: string | undefined;

  constructor(turn: Turn, owner: string) {
    this.#turn = turn;
    this.#owner = owner;
  }

  /** The key of the owner's requests for one model. */
  get model(): string {
    return hash([this.#owner, this.#turn.model]);
  }

  /**
   * The key of the request. It stays the same when a client repeats the request. The length limit and streaming do not count:
   * they do not cause failures, and some clients change them for their second try.
   */
  get request(): string {
    this.#request ??= hash([this.model, ...askedIn(this.#turn)]);
    return this.#request;
  }
}

function askedIn({ system, messages, tools, effort, toolChoice, format, workspace }: Turn): readonly unknown[] {
  const offered = tools.map(({ name, description, inputSchema }) => [name, description, canonical(inputSchema)]);
  return [steadyWords(system), transcriptKeys(messages).at(-1), offered, effort, toolChoice, format, workspace];
}

/**
 * System text without the words that clients change with each request: times, dates, ids of sessions and commits. Every word with
 * a digit may be one of those. The other words do count: when one question is asked about many documents, the document may be
 * the only difference between the requests.
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
