import { hash, randomUUID } from "node:crypto";
import type { Capabilities } from "../backends/backend.js";
import type { TurnStore } from "../store/index.js";
import type { Message, Turn } from "../turn/turn.js";
import { type CheckpointSearch, type FoundCheckpoint, findCheckpoint, openingKey } from "./checkpoints.js";
import { keyUnder, settingsKey, type TranscriptKeys, transcriptKeys } from "./fingerprint.js";
import { type CallOrigin, originOf, type SeenSettings, seenReply } from "./made-calls.js";
import type { Fate, ParkedRun, ParkingLot } from "./parking.js";

/** How many messages back we look for the reason of a cold reply. Each look is a read from disk. */
const MAX_LOOKS = 1_000;

/** The owner and the backend of stored state: no backend can read another's. */
interface Whose extends Pick<ParkedRun, "owner" | "backend"> {
  readonly can: Pick<Capabilities, "takesNewSettings" | "takesLeftIds">;
}

type KnownStore = Pick<TurnStore, "getCheckpoint" | "getNote">;

/** Reads each note of one owner once, because several properties look for the same ones and each look is a read from disk. */
function readOnce(store: KnownStore): Pick<TurnStore, "getNote"> {
  const notes = new Map<string, string | undefined>();
  return {
    getNote(owner, key) {
      if (!notes.has(key)) notes.set(key, store.getNote(owner, key));
      return notes.get(key);
    },
  };
}

/** The id of an owner: one account under one gateway key. */
export function ownerOf(account: string, caller: string): string {
  return hash("sha256", JSON.stringify([account, caller]), "base64url");
}

export function runWaitingFor({ messages }: Turn, owner: string, lot: ParkingLot): ParkedRun | undefined {
  const answer = messages.findLast(({ role }) => role !== "user");
  return answer?.role === "tool" ? lot.find(owner, newestCallIds(messages)) : undefined;
}

/** What the gateway knows of a turn's conversation, looked up when it is first read: most turns need little of it. */
export class KnownConversation {
  readonly #turn: Turn;
  readonly #whose: Whose;
  readonly #store: KnownStore;
  readonly #lot: ParkingLot;
  /** A run that was found before, so that it need not be looked up again. */
  readonly #waiting: ParkedRun | undefined;
  #keys: TranscriptKeys | undefined;
  #bareKeys: TranscriptKeys | undefined;
  #search: CheckpointSearch | undefined;
  readonly #noted: Pick<TurnStore, "getNote">;

  constructor(turn: Turn, whose: Whose, store: KnownStore, lot: ParkingLot, waiting?: ParkedRun) {
    this.#turn = turn;
    this.#whose = whose;
    this.#store = store;
    this.#lot = lot;
    this.#waiting = waiting;
    this.#noted = readOnce(store);
  }

  get settings(): string {
    return `${this.#whose.backend}.${settingsKey(this.#turn)}`;
  }

  get keys(): TranscriptKeys {
    if (this.#keys === undefined) {
      const { settings } = this;
      this.#keys = this.bareKeys.map((key) => keyUnder(settings, key));
    }
    return this.#keys;
  }

  /** The keys of the transcript, whatever the settings and the backend. */
  get bareKeys(): TranscriptKeys {
    this.#bareKeys ??= transcriptKeys(this.#turn.messages);
    return this.#bareKeys;
  }

  get parked(): ParkedRun | undefined {
    return this.#waiting ?? this.#lot.find(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get search(): CheckpointSearch {
    const opening = (count: number) => openingKey(this.keys[count] ?? "");
    const keys = { after: (count: number) => this.keys[count], opening };
    this.#search ??= findCheckpoint(this.#store, this.#whose.owner, keys, this.#turn.messages);
    return this.#search;
  }

  get foundUnderOtherSettings(): FoundCheckpoint | undefined {
    const { owner, backend, can } = this.#whose;
    if (!can.takesNewSettings) return undefined;
    const noted = (bareKey: string) => {
      const seen = seenReply(this.#noted, owner, bareKey);
      return seen?.backend === backend ? seen.key : undefined;
    };
    const keys = {
      after: (count: number) => noted(this.bareKeys[count] ?? ""),
      opening: (count: number) => {
        const key = noted(openingKey(this.bareKeys[count] ?? ""));
        return key === undefined ? undefined : openingKey(key);
      },
    };
    return findCheckpoint(this.#store, owner, keys, this.#turn.messages, MAX_LOOKS).found;
  }

  /** Why the run that waited for the newest calls is gone; undefined when no such run is remembered. */
  get fate(): Fate | undefined {
    return this.#lot.fate(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get origin(): CallOrigin | undefined {
    return originOf(this.#store, this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get hasEmptyReply(): boolean {
    const { messages } = this.#turn;
    for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - MAX_LOOKS); at--) {
      // A note is kept with every checkpoint, and other properties need it, too.
      if (messages[at - 1]?.role === "user" && this.#hasNote(this.bareKeys[at] ?? "") && this.#hasCheckpoint(at))
        return true;
    }
    return false;
  }

  get wasSeen(): boolean {
    return this.bareKeys
      .slice(1, -1)
      .slice(-MAX_LOOKS)
      .some((key) => this.#hasNote(key));
  }

  get seenUnder(): SeenSettings | undefined {
    const keys = this.bareKeys.slice(1, -1).slice(-MAX_LOOKS);
    for (const key of keys.toReversed()) {
      const seen = seenReply(this.#noted, this.#whose.owner, key);
      if (seen !== undefined) return seen;
    }
    return undefined;
  }

  /** Whether a run of this conversation has left its id with an unanswered call, or still waits, in whatever branch. */
  isLeft({ conversationId, wasLeft }: FoundCheckpoint): boolean {
    const { owner, can } = this.#whose;
    return can.takesLeftIds !== true && (wasLeft || this.#lot.hasConversation(owner, conversationId));
  }

  get newId(): string {
    return randomUUID();
  }

  #hasCheckpoint(at: number): boolean {
    return this.#store.getCheckpoint(this.#whose.owner, this.keys[at] ?? "") !== undefined;
  }

  #hasNote(key: string): boolean {
    return this.#noted.getNote(this.#whose.owner, key) !== undefined;
  }
}

/** The public side of `KnownConversation`, which tests can provide. */
export type Known = Pick<KnownConversation, keyof KnownConversation>;

function newestCallIds(messages: readonly Message[]): string[] {
  const newest = messages.findLast(isCalling);
  if (newest?.role !== "assistant") return [];
  return newest.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

function isCalling(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "call");
}
