import { hash, randomUUID } from "node:crypto";
import type { TurnStore } from "../store/index.js";
import type { Message, Turn } from "../turn/turn.js";
import { type CheckpointSearch, findCheckpoint } from "./checkpoints.js";
import { digestMessages, settingsKey, type TranscriptKeys, transcriptKeys } from "./fingerprint.js";
import type { Fate, ParkedRun, ParkingLot } from "./parking.js";

/** How many messages back it is sought what only the reason hangs on: each look is a read from disk. */
const MAX_LOOKS = 1_000;

/** No other backend can read the state that this one leaves behind. */
type Whose = Pick<ParkedRun, "owner" | "backend">;

/** Names whose data it is: one account under one gateway key. */
export function ownerOf(account: string, caller: string): string {
  return hash("sha256", JSON.stringify([account, caller]), "base64url");
}

/** The run that waits for the results which a turn brings. */
export function runWaitingFor({ messages }: Turn, owner: string, lot: ParkingLot): ParkedRun | undefined {
  return messages.at(-1)?.role === "tool" ? lot.find(owner, newestCallIds(messages)) : undefined;
}

/**
 * What is known here of the conversation that a turn belongs to. It is looked up when it is asked for, as most turns need little of
 * it; to ask changes nothing.
 */
export class KnownConversation {
  readonly #turn: Turn;
  readonly #whose: Whose;
  readonly #store: TurnStore;
  readonly #lot: ParkingLot;
  /** A run that was found before, which spares looking for it. */
  readonly #waiting: ParkedRun | undefined;
  #digests: readonly string[] | undefined;
  #keys: TranscriptKeys | undefined;
  #bareKeys: TranscriptKeys | undefined;
  #search: CheckpointSearch | undefined;

  constructor(turn: Turn, whose: Whose, store: TurnStore, lot: ParkingLot, waiting?: ParkedRun) {
    this.#turn = turn;
    this.#whose = whose;
    this.#store = store;
    this.#lot = lot;
    this.#waiting = waiting;
  }

  /** Of each beginning of the transcript, under the settings and for the backend that the turn is for. */
  get keys(): TranscriptKeys {
    this.#digests ??= digestMessages(this.#turn.messages);
    this.#keys ??= transcriptKeys(`${this.#whose.backend} ${settingsKey(this.#turn)}`, this.#digests);
    return this.#keys;
  }

  /** The same whatever the settings and the backend. */
  get bareKeys(): TranscriptKeys {
    this.#digests ??= digestMessages(this.#turn.messages);
    this.#bareKeys ??= transcriptKeys("", this.#digests);
    return this.#bareKeys;
  }

  /** The run that waits for results of the newest calls, whether this turn brings them or not. */
  get parked(): ParkedRun | undefined {
    return this.#waiting ?? this.#lot.find(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  get search(): CheckpointSearch {
    this.#search ??= findCheckpoint(this.#store, this.#whose.owner, this.keys, this.#turn.messages);
    return this.#search;
  }

  /** Why the run that waited for the newest calls is not there any more; undefined when nobody remembers one. */
  get fate(): Fate | undefined {
    return this.#lot.fate(this.#whose.owner, newestCallIds(this.#turn.messages));
  }

  /** Whether the newest calls were made here, and nothing of that is known under these settings. */
  get areCallsOfOtherSettings(): boolean {
    const at = this.#turn.messages.findLastIndex(isCalling) + 1;
    return this.#hasNote(this.bareKeys[at] ?? "") && !this.#hasCheckpoint(at);
  }

  /** Whether a reply that said nothing has left its checkpoint behind the words that it replied to. */
  get hasEmptyReply(): boolean {
    const { messages } = this.#turn;
    for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - MAX_LOOKS); at--) {
      if (messages[at - 1]?.role === "user" && this.#hasCheckpoint(at)) return true;
    }
    return false;
  }

  /** Whether some beginning of the transcript was held here, under whatever settings. */
  get wasSeen(): boolean {
    return this.bareKeys
      .slice(1, -1)
      .slice(-MAX_LOOKS)
      .some((key) => this.#hasNote(key));
  }

  /** For a conversation that begins. */
  get newId(): string {
    return randomUUID();
  }

  #hasCheckpoint(at: number): boolean {
    return this.#store.getCheckpoint(this.#whose.owner, this.keys[at] ?? "") !== undefined;
  }

  #hasNote(key: string): boolean {
    return this.#store.getNote(this.#whose.owner, key) !== undefined;
  }
}

/** The same without what it is looked up in. */
export type Known = Pick<KnownConversation, keyof KnownConversation>;

/** The calls that a result, or its absence, must belong to. */
function newestCallIds(messages: readonly Message[]): string[] {
  const newest = messages.findLast(isCalling);
  if (newest?.role !== "assistant") return [];
  return newest.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

function isCalling(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "call");
}
