import { hash, randomUUID } from "node:crypto";
import type { TurnStore } from "../store/index.js";
import type { Message, Turn } from "../turn/turn.js";
import { type CheckpointSearch, type FoundCheckpoint, findCheckpoint, openingKey } from "./checkpoints.js";
import { keyUnder, settingsKey, type TranscriptKeys, transcriptKeys } from "./fingerprint.js";
import { type CallOrigin, originOf } from "./made-calls.js";
import type { Fate, ParkedRun, ParkingLot } from "./parking.js";
import { type SeenSettings, seenReply } from "./seen-replies.js";

/** How many messages back we look for the reason of a cold reply. Each look is a read from disk. */
const MAX_LOOKS = 1_000;

/** The owner and the backend of stored state: no backend can read another's. */
interface Whose extends Pick<ParkedRun, "owner" | "backend"> {
  /** Whether the backend's state may be resumed under other settings. */
  readonly takesNewSettings: boolean;
}

/** The part of a store that says what is known. */
type KnownStore = Pick<TurnStore, "getCheckpoint" | "getNote">;

/** Reads a store without a trace: nothing that is looked at counts as used. */
export function peekingStore(store: TurnStore): KnownStore {
  return {
    getCheckpoint: (owner, key) => store.peekCheckpoint(owner, key),
    getNote: (owner, key) => store.getNote(owner, key),
  };
}

/** Reads each note of one owner once, because several properties look for the same ones and each look is a read from disk. */
function readOnce(store: KnownStore): Pick<TurnStore, "getNote"> {
  const notes = new Map<string, string | undefined>();
  return {
    getNote: (owner, key) => {
      const isRead = notes.has(key);
      const note = isRead ? notes.get(key) : store.getNote(owner, key);
      if (!isRead) notes.set(key, note);
      return note;
    },
  };
}

/** The id of an owner: one account under one gateway key. */
export function ownerOf(account: string, caller: string): string {
  return hash("sha256", JSON.stringify([account, caller]), "base64url");
}

/** The run that waits for the results of a turn. */
export function runWaitingFor({ messages }: Turn, owner: string, lot: ParkingLot): ParkedRun | undefined {
  const answer = messages.findLast(({ role }) => role !== "user");
  return answer?.role === "tool" ? lot.find(owner, newestCallIds(messages)) : undefined;
}

/**
 * What the gateway knows of a turn's conversation. Each property is looked up when it is first read, because most turns need few
 * of them. Reading changes nothing but what the store counts as used.
 */
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

  /** The turn's backend and settings, as its keys begin. */
  get settings(): string {
    return `${this.#whose.backend}.${settingsKey(this.#turn)}`;
  }

  /** The keys of the transcript under the turn's settings and backend. */
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

  /** The run that waits for results of the newest calls, whether or not this turn brings them. */
  get parked(): ParkedRun | undefined {
    return this.#waiting ?? this.#lot.find(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get search(): CheckpointSearch {
    const opening = (count: number) => openingKey(this.keys[count] ?? "");
    const keys = { after: (count: number) => this.keys[count], opening };
    this.#search ??= findCheckpoint(this.#store, this.#whose.owner, keys, this.#turn.messages);
    return this.#search;
  }

  /** The newest checkpoint that was made under other settings and can be resumed under these. */
  get foundUnderOtherSettings(): FoundCheckpoint | undefined {
    const { owner, backend, takesNewSettings } = this.#whose;
    if (!takesNewSettings) return undefined;
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

  /** Where the newest calls were made; undefined when this gateway did not make them. */
  get origin(): CallOrigin | undefined {
    return originOf(this.#store, this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  /** Whether an empty reply has left its checkpoint directly after a user message. */
  get hasEmptyReply(): boolean {
    const { messages } = this.#turn;
    for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - MAX_LOOKS); at--) {
      // A note is kept with every checkpoint, and other properties need it, too.
      if (messages[at - 1]?.role === "user" && this.#hasNote(this.bareKeys[at] ?? "") && this.#hasCheckpoint(at))
        return true;
    }
    return false;
  }

  /** Whether the gateway has seen some prefix of the transcript, under any settings. */
  get wasSeen(): boolean {
    return this.bareKeys
      .slice(1, -1)
      .slice(-MAX_LOOKS)
      .some((key) => this.#hasNote(key));
  }

  /** What the newest reply of this transcript was made under; undefined when that is not known. */
  get seenUnder(): SeenSettings | undefined {
    const keys = this.bareKeys.slice(1, -1).slice(-MAX_LOOKS);
    for (const key of keys.toReversed()) {
      const seen = seenReply(this.#noted, this.#whose.owner, key);
      if (seen !== undefined) return seen;
    }
    return undefined;
  }

  /** Whether a run of this conversation waits for results, of this turn or of a branch that the client has left. */
  isWaiting(conversationId: string): boolean {
    return this.#lot.hasConversation(this.#whose.owner, conversationId);
  }

  /** An id for a new conversation. */
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

/** The calls that new results must belong to. */
function newestCallIds(messages: readonly Message[]): string[] {
  const newest = messages.findLast(isCalling);
  if (newest?.role !== "assistant") return [];
  return newest.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

function isCalling(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "call");
}
