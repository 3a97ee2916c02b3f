import { createHash } from "node:crypto";
import { canonical } from "../../turn/canonical.js";
import type { ErrorCode, ErrorKind, GatewayError } from "../../turn/error.js";
import type { Turn } from "../../turn/turn.js";
import { transcriptKeys } from "../sessions/fingerprint.js";
import { type HeldFailure, HeldFailures, leftOf, type Patience } from "./held-failures.js";

/** Failures that clients retry by themselves and that reach Cursor: held from the first one on. */
const heldKinds: ReadonlySet<ErrorKind> = new Set(["upstream", "timeout", "overloaded", "rate-limit", "quota"]);
/** These never reached Cursor. Another attempt costs nothing there, and succeeds as soon as the cause is gone. */
const notAtCursor: ReadonlySet<ErrorCode> = new Set(["shutting_down", "quota_exceeded", "upstream_unreachable"]);
/** Refusals of Cursor that users fix: the next attempt must pass at once. Only a program keeps sending the same. */
const refusedByCursor: ReadonlySet<ErrorCode> = new Set([
  "bad_request",
  "provider_rejected",
  "context_length_exceeded",
  "max_mode_required",
  "image_too_large",
  "not_found",
  "model_not_found",
  "model_not_permitted",
  "permission_denied",
  "plan_required",
  "api_key_not_supported",
  "blocked",
  "unsupported_region",
  "account_closed",
]);
const refusedLogins: ReadonlySet<ErrorCode> = new Set([
  "invalid_api_key",
  "cursor_login_required",
  "cursor_unauthorized",
]);

/** Chosen so that a client that never stops reaches Cursor at most eight times in 40 s (tests/runaway.test.ts). */
const afterFailures: Patience = { freeFailures: 0, firstHoldMs: 2_000 };
const afterRefusals: Patience = { freeFailures: 3, firstHoldMs: 2_000 };
/** Each of these asks Cursor twice, because the token is renewed in between. */
const afterRefusedLogins: Patience = { freeFailures: 1, firstHoldMs: 8_000 };

/** Permission to ask Cursor. Its holder must report the outcome. */
export interface Permit {
  /** 0 when an equal request has just failed; undefined = as usual. */
  readonly maxRetries: 0 | undefined;
  /** Reports a failure that we retry ourselves. */
  retrying(error: GatewayError): void;
  answering(): void;
  /** Reports a failure before the first event. Returns the error for the client, with the time to wait. */
  failed(error: GatewayError): GatewayError;
  /** Reports the end of a reply. Returns the error for the client, if there is one. */
  ended(failure: GatewayError | undefined): GatewayError | undefined;
}

/** For requests that continue a run: Cursor has been asked already. */
export const freePermit: Permit = {
  maxRetries: undefined,
  retrying: () => {},
  answering: () => {},
  failed: (error) => error,
  ended: (failure) => failure,
};

/** A circuit breaker: a failing request gets the same error for a while, then one attempt passes. Equal requests wait while we retry. */
export class FailureBreaker {
  readonly #now: () => number;
  readonly #requests: HeldFailures;
  readonly #limits: HeldFailures;
  readonly #retries = new Map<string, Promise<void>>();

  constructor(now: () => number) {
    this.#now = now;
    this.#requests = new HeldFailures(now);
    this.#limits = new HeldFailures(now);
  }

  /** Resolves when our retry of an equal turn has an outcome; undefined if none is being retried. */
  retryOf(turn: Turn, owner: string): Promise<void> | undefined {
    return this.#retries.size === 0 ? undefined : this.#retries.get(requestKey(turn, owner));
  }

  /** @throws GatewayError, the earlier failure with its code, when it is too soon to ask Cursor again */
  admit(turn: Turn, owner: string): Permit {
    const known = this.#requests.isEmpty ? undefined : this.#requests.find(requestKey(turn, owner));
    const held = known !== undefined && known.holdMs > 0 ? known : undefined;
    if (held !== undefined) this.#refuseWhileHeld(held, "the same request has just failed");
    const limit = this.#limits.isEmpty ? undefined : this.#limits.find(modelKey(turn, owner));
    if (limit !== undefined) {
      // Another request met the limit. Its error may speak of another conversation, so it is not quoted.
      this.#refuseWhileHeld(limit, "Cursor has just set a limit for this model", "This model is rate-limited.");
    }
    if (held !== undefined) {
      if (held.isOnTrial) throw heldError(held, held.holdMs, "another attempt at the same request is under way");
      held.isOnTrial = true;
    }
    return this.#permit(turn, owner, held, (held ?? limit) !== undefined);
  }

  #refuseWhileHeld(held: HeldFailure, reason: string, said = held.error.message): void {
    const leftMs = leftOf(held, this.#now());
    if (leftMs > 0) throw heldError(held, leftMs, `${reason}; it will in ${Math.ceil(leftMs / 1_000)} s`, said);
  }

  #permit(turn: Turn, owner: string, held: HeldFailure | undefined, isTrial: boolean): Permit {
    const startedMs = this.#now();
    /** Forgotten at the end, because the run may wait for results long after this. */
    let asked: Turn | undefined = turn;
    let isAnswering = false;
    let endRetry: (() => void) | undefined;
    const settle = () => {
      if (held !== undefined) held.isOnTrial = false;
      endRetry?.();
    };
    const failed = (error: GatewayError): GatewayError => {
      const patience = patienceFor(error);
      settle();
      if (asked === undefined || patience === undefined) return error;
      const reported = isTrial ? error.with({ wasRetried: true }) : error;
      const { holdMs } = this.#requests.add(requestKey(asked, owner), reported, startedMs, patience);
      const isLimit = error.code === "rate_limit_exceeded";
      if (isLimit) this.#limits.add(modelKey(asked, owner), reported, startedMs, patience);
      return holdMs > 0 ? reported.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, holdMs) }) : error;
    };
    return {
      maxRetries: isTrial ? 0 : undefined,
      retrying: (error) => {
        if (asked === undefined || isAnswering || patienceFor(error) === undefined) return;
        endRetry ??= this.#beginRetry(requestKey(asked, owner));
      },
      answering() {
        isAnswering = true;
        settle();
      },
      failed,
      ended: (failure) => {
        if (failure !== undefined) return isAnswering ? failed(failure) : failure;
        if (asked !== undefined && !this.#limits.isEmpty) this.#limits.delete(modelKey(asked, owner));
        if (asked !== undefined && !this.#requests.isEmpty) this.#requests.delete(requestKey(asked, owner));
        asked = undefined;
        return undefined;
      },
    };
  }

  /** Returns a function that ends the retry; a no-op if an equal turn is being retried already. */
  #beginRetry(key: string): () => void {
    if (this.#retries.has(key)) return () => {};
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#retries.set(key, over);
    return () => {
      this.#retries.delete(key);
      end();
    };
  }
}

/** How often such a failure may repeat; undefined if it is never held. */
function patienceFor({ isOwnRefusal, kind, code }: GatewayError): Patience | undefined {
  if (isOwnRefusal || notAtCursor.has(code)) return undefined;
  if (heldKinds.has(kind)) return afterFailures;
  if (refusedByCursor.has(code)) return afterRefusals;
  return refusedLogins.has(code) ? afterRefusedLogins : undefined;
}

function heldError({ error }: HeldFailure, waitMs: number, reason: string, said = error.message): GatewayError {
  const text = `${said} (Curlew did not ask Cursor again, because ${reason}.)`;
  return error.with({ retryAfterMs: Math.max(error.retryAfterMs ?? 0, waitMs), isFromBreaker: true }, text);
}

/** The key of the owner's requests for one model. Keys are computed when needed, because most requests never fail. */
function modelKey({ model }: Turn, owner: string): string {
  return hash([owner, model]);
}

/** The same when a client repeats the request, even with another length limit or streaming mode. */
function requestKey(turn: Turn, owner: string): string {
  return hash([modelKey(turn, owner), ...askedIn(turn)]);
}

function askedIn({ system, messages, tools, effort, toolChoice, format, workspace }: Turn): readonly unknown[] {
  const offered = tools.map(({ name, description, inputSchema }) => [name, description, canonical(inputSchema)]);
  // Clients change some words with each request, such as times and ids: every word with a digit may be one. The others count,
  // because a document in them may be the only difference between the requests.
  const steadyWords = system.split(/\s+/).filter((word) => word !== "" && !/\d/.test(word));
  return [steadyWords.join(" "), transcriptKeys(messages).at(-1), offered, effort, toolChoice, format, workspace];
}

function hash(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
