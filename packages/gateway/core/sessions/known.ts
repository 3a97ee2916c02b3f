import { hash } from "node:crypto";
import type { Capabilities } from "../../backends/backend.js";
import type { Message, Turn } from "../../turn/turn.js";
import { type CheckpointSearch, type FoundCheckpoint, findCheckpoint, isCalling, openingKey } from "./checkpoints.js";
import { keyUnder, settingsKey, type TranscriptKeys, transcriptKeys } from "./fingerprint.js";
import type { Fate, ParkedRun, ParkingLot } from "./parking.js";
import {
  type CallOrigin,
  type Checkpoint,
  checkpointAt,
  hasBegun,
  type NewIds,
  originOf,
  type Place,
  type PositionStore,
  type SeenSettings,
  seenAt,
  wasLeft,
} from "./positions.js";

/** How many messages back we look for the reason of a cold reply. Each lookup reads from disk. */
const MAX_LOOKS = 1_000;

/** The owner and the backend of stored state: no backend can read another's. */
interface Whose extends Pick<ParkedRun, "owner" | "backend"> {
  readonly can: Pick<Capabilities, "takesNewSettings" | "takesLeftIds">;
}

/** The id of an owner: one account under one gateway key. */
export function ownerOf(account: string, caller: string): string {
  return hash("sha256", JSON.stringify([account, caller]), "base64url");
}

export function runWaitingFor({ messages }: Turn, owner: string, lot: ParkingLot): ParkedRun | undefined {
  const answer = messages.findLast(({ role }) => role !== "user");
  return answer?.role === "tool" ? lot.find(owner, newestCallIds(messages)) : undefined;
}

interface KnownDeps {
  readonly store: PositionStore;
  readonly lot: ParkingLot;
  readonly newIds: NewIds;
}

/** What the gateway knows about a turn's conversation. Looked up lazily: most turns need little of it. */
export class KnownConversation {
  readonly #turn: Turn;
  readonly #whose: Whose;
  readonly #deps: KnownDeps;
  /** A run that was found before, so that it is not looked up again. */
  readonly #waiting: ParkedRun | undefined;
  #settings: string | undefined;
  #bareKeys: TranscriptKeys | undefined;
  #search: CheckpointSearch | undefined;
  #hasBegun: boolean | undefined;
  /** A cache: several properties need the same places, and each lookup reads from disk. */
  readonly #seen = new Map<string, Place | undefined>();

  constructor(turn: Turn, whose: Whose, deps: KnownDeps, waiting?: ParkedRun) {
    this.#turn = turn;
    this.#whose = whose;
    this.#deps = deps;
    this.#waiting = waiting;
  }

  get settings(): string {
    this.#settings ??= `${this.#whose.backend}.${settingsKey(this.#turn)}`;
    return this.#settings;
  }

  /** The key of the transcript's first messages. */
  readonly keyAt = (count: number): string => keyUnder(this.settings, this.bareKeys[count] ?? "");

  /** How many messages the transcript has at one of these keys; -1 if it has none of them. */
  countAt({ keys, bareKeys }: Pick<ParkedRun, "keys" | "bareKeys">): number {
    return this.bareKeys.findIndex((key, count) => bareKeys.has(key) && keys.has(this.keyAt(count)));
  }

  /** The keys of the transcript, without the settings and the backend. */
  get bareKeys(): TranscriptKeys {
    this.#bareKeys ??= transcriptKeys(this.#turn.messages);
    return this.#bareKeys;
  }

  get parked(): ParkedRun | undefined {
    return this.#waiting ?? this.#deps.lot.find(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get search(): CheckpointSearch {
    const keys = { after: this.keyAt, opening: (count: number) => openingKey(this.keyAt(count)) };
    this.#search ??= this.#isBegun
      ? findCheckpoint(this.#checkpointAt, keys, this.#turn.messages)
      : { found: undefined, hasAny: false };
    return this.#search;
  }

  get foundUnderOtherSettings(): FoundCheckpoint | undefined {
    const { backend, can } = this.#whose;
    if (!can.takesNewSettings || !this.#isBegun) return undefined;
    const noted = (bareKey: string) => {
      const seen = this.#seenAt(bareKey);
      return seen?.backend === backend ? seen.key : undefined;
    };
    const keys = {
      after: (count: number) => noted(this.bareKeys[count] ?? ""),
      opening: (count: number) => noted(openingKey(this.bareKeys[count] ?? "")),
    };
    return findCheckpoint(this.#checkpointAt, keys, this.#turn.messages, MAX_LOOKS).found;
  }

  /** Why the run that waited for the newest calls is gone; undefined when no such run is remembered. */
  get fate(): Fate | undefined {
    return this.#deps.lot.fate(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get origin(): CallOrigin | undefined {
    return originOf(this.#deps.store, this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get hasEmptyReply(): boolean {
    const { messages } = this.#turn;
    for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - MAX_LOOKS); at--) {
      // `#seenAt` first: its result is cached, and other properties need it, too.
      const isAsked = messages[at - 1]?.role === "user";
      if (
        isAsked &&
        this.#seenAt(this.bareKeys[at] ?? "") !== undefined &&
        this.#checkpointAt(this.keyAt(at)) !== undefined
      )
        return true;
    }
    return false;
  }

  get seenUnder(): SeenSettings | undefined {
    const keys = this.bareKeys.slice(1, -1).slice(-MAX_LOOKS);
    for (const key of keys.toReversed()) {
      const seen = this.#seenAt(key);
      if (seen !== undefined) return seen;
    }
    return undefined;
  }

  /** Whether a run of this conversation has left its id with an unanswered call, or still waits, in any branch. */
  isLeft({ conversationId, wasLeft: isLeft }: FoundCheckpoint): boolean {
    const { owner, can } = this.#whose;
    if (can.takesLeftIds === true) return false;
    const { store, lot } = this.#deps;
    return isLeft || lot.hasConversation(owner, conversationId) || wasLeft(store, owner, conversationId);
  }

  get newId(): string {
    return this.#deps.newIds.conversation();
  }

  get newLineage(): string {
    return this.#deps.newIds.lineage();
  }

  readonly #checkpointAt = (key: string): Checkpoint | undefined => {
    const found = checkpointAt(this.#deps.store, this.#whose.owner, key);
    if (found === undefined) return undefined;
    this.#seen.set(found.place.bareKey, found.place);
    return found.checkpoint;
  };

  /** All keys of a conversation depend on its first message, so one lookup can rule out the rest. */
  get #isBegun(): boolean {
    this.#hasBegun ??= hasBegun(this.#deps.store, this.#whose.owner, this.bareKeys[1] ?? "");
    return this.#hasBegun;
  }

  #seenAt(bareKey: string): Place | undefined {
    if (!this.#isBegun) return undefined;
    if (!this.#seen.has(bareKey)) this.#seen.set(bareKey, seenAt(this.#deps.store, this.#whose.owner, bareKey));
    return this.#seen.get(bareKey);
  }
}

/** The public side of `KnownConversation`, which tests can provide. */
export type Known = Pick<KnownConversation, keyof KnownConversation>;

function newestCallIds(messages: readonly Message[]): string[] {
  const newest = messages.findLast(isCalling);
  if (newest?.role !== "assistant") return [];
  return newest.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}
