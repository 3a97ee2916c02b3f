import type { Usage } from "../turn/event.js";
import type { RequestRecord } from "../turn/events/channels.js";

/** What a request is to its conversation. `words`: a message along with the awaited tool results, or instead of them. */
export type TurnPlace = "new" | "ongoing" | "results" | "words";

/** A request is admitted, possibly with a delay and warnings for the client. */
export interface Admission {
  readonly warnings: readonly string[];
  readonly waitMs: number;
}

/** The owner's limits, as the gateway asks for them. */
export interface LimitGuard {
  /** Resolves when earlier usage has been read, which the first requests wait for; undefined from then on. */
  readonly opening: Promise<void> | undefined;
  /**
   * Admits a turn, or refuses it. With an account of its own it uses nothing of the owner's plan. Results for a waiting run are not
   * counted as requests; only limits on spending apply to them, with some tolerance.
   * @throws GatewayError `quota_exceeded` for an owner's ceiling, `rate_limit_exceeded` for a client above its rate limits
   */
  admit(record: RequestRecord, place: TurnPlace): Admission;
  /** The checks that need the model, which is known later. Returns warnings. @throws GatewayError `quota_exceeded` */
  admitModel(
    record: RequestRecord,
    place: TurnPlace,
    model: { readonly id: string; readonly shownAs: string },
  ): readonly string[];
  /** The checks before results of the gateway's own tools are sent. @throws GatewayError `quota_exceeded` */
  admitRound(record: RequestRecord, usage: Usage): void;
}

/** The sender of a request, identified by its key. */
export interface Caller {
  /** Identifies the key without revealing it; empty if none is required. State stored for one caller is never found by another. */
  readonly id: string;
  /** The name of the key; undefined for the single key and without a key. */
  readonly name: string | undefined;
}

/** What the guards ask of the keys. */
export interface Keys {
  /** The caller of requests without a key; undefined if a key is required. */
  readonly anonymous: Caller | undefined;
  /** The holder of a key. Takes the same time for every key. */
  find(shown: string): Caller | undefined;
}
