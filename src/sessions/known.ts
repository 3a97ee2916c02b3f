import { hash, randomUUID } from "node:crypto";
import type { BackendName, RecordedCall, Resumption } from "../backends/backend.js";
import type { Store } from "../store/index.js";
import type { CallBlock } from "../turn/blocks.js";
import type { Message, Turn } from "../turn/turn.js";
import { type CheckpointSearch, findCheckpoint, missingCalls, recordedCalls } from "./checkpoints.js";
import { digestMessages, settingsKey, type TranscriptKeys, transcriptKeys } from "./fingerprint.js";
import { mendTranscript } from "./mend-transcript.js";
import type { ParkedRun, ParkingLot } from "./parking.js";
import { type Told, toldBy } from "./reminders.js";

type ColdReason =
  | "new"
  | "expired"
  | "restarted"
  | "edited"
  | "raced"
  | "superseded"
  | "unknown-call"
  | "blob-missing"
  | "settings-changed";

/** How many messages back it is sought what only the reason hangs on: each look is a read from disk. */
const MAX_LOOKS = 1_000;

/** Whether a reply went on from what upstream still had, and if not, why. */
export type Continuity = "warm" | `cold:${ColdReason}`;

/** Where in which conversation a request stands. */
export interface Place {
  readonly owner: string;
  /** Of all messages of the request, under the settings it was made with. */
  readonly key: string;
  /** The same whatever the settings. */
  readonly bareKey: string;
  readonly conversationId: string;
  /** The reminders that the model knows of once this request is told. */
  readonly told: Told;
  readonly continuity: Continuity;
  /** The run that waits for exactly this request. */
  readonly parked: ParkedRun | undefined;
  readonly from: Resumption | undefined;
  /** What the client has to give back before any run can go on, when none waits for it. */
  readonly missing: readonly CallBlock[];
  readonly record: readonly RecordedCall[];
}

/** Whose conversation, and with which backend: no other can read the state that this one leaves behind. */
export interface Whose {
  readonly owner: string;
  readonly backend: BackendName;
}

/** The backend whose run waits for the results that a request brings. */
export function backendWaiting({ messages }: Turn, owner: string, lot: ParkingLot): BackendName | undefined {
  if (messages.at(-1)?.role !== "tool") return undefined;
  return lot.find(owner, newestCallIds(messages))?.backend;
}

/** Finds the parked run or the best checkpoint for a request. Closes a parked run that the client has turned away from. */
export function locate(turn: Turn, { owner, backend }: Whose, store: Store, lot: ParkingLot): Place {
  const { messages } = turn;
  const digests = digestMessages(messages);
  const keys = transcriptKeys(`${backend} ${settingsKey(turn)}`, digests);
  const bareKeys = transcriptKeys("", digests);
  const openIds = newestCallIds(messages);
  const isResult = messages.at(-1)?.role === "tool";

  const parked = lot.claim(owner, openIds);
  const parkedAt = keys.findIndex((key) => parked?.keys.has(key));
  const isElsewhere = parked !== undefined && parkedAt < 0;
  // A run that waits takes nothing but results: words that were put before them would be lost.
  const isParkedRun = parked !== undefined && isResult && !isElsewhere && !messages.slice(parkedAt).some(isFromUser);
  if (parked !== undefined && !isParkedRun) parked.exchange.close("superseded");

  const { found, hasAny } = isParkedRun ? nothingSought : findCheckpoint(store, owner, keys, messages);
  const origin = isParkedRun ? parked : found;
  const turnedAway = (run: ParkedRun): ColdReason => {
    if (!isElsewhere) return "superseded";
    return bareKeys.some((key) => run.bareKeys.has(key)) ? "settings-changed" : "edited";
  };
  /** Whether the newest calls were made here, and nothing of that is known under these settings. */
  const wasMadeUnderOthers = () => {
    const at = messages.findLastIndex((message) => callIdsOf(message).length > 0) + 1;
    if (store.getNote(owner, bareKeys[at] ?? "") === undefined) return false;
    return store.getCheckpoint(owner, keys[at] ?? "") === undefined;
  };
  const continuity = (): Continuity => {
    if (isParkedRun) return "warm";
    if (parked !== undefined) return `cold:${turnedAway(parked)}`;
    if (found?.isExact === true && found.phase === "settled") return "warm";
    if (isResult) {
      const reason = lostRun(lot, owner, openIds, found?.isExact === true);
      return `cold:${reason === "unknown-call" && wasMadeUnderOthers() ? "settings-changed" : reason}`;
    }
    if (hasAny || hasCheckpointOfNothing(store, owner, keys, messages)) return "cold:edited";
    return wasSeen(store, owner, bareKeys) ? "cold:settings-changed" : "cold:new";
  };
  return {
    owner,
    key: keys.at(-1) ?? "",
    bareKey: bareKeys.at(-1) ?? "",
    conversationId: origin?.conversationId ?? randomUUID(),
    told: origin?.told ?? toldBy(messages),
    continuity: continuity(),
    parked: isParkedRun ? parked : undefined,
    from: found && { ...found.from, messages: mendTranscript(found.from.messages) },
    missing: isParkedRun ? [] : missingCalls(messages),
    record: recordedCalls(turn, found?.calls ?? []),
  };
}

/** Names whose data it is: one account under one gateway key. */
export function ownerOf(account: string, caller: string): string {
  return hash("sha256", JSON.stringify([account, caller]), "base64url");
}

/** For a run that waits: it needs no checkpoint. */
const nothingSought: CheckpointSearch = { found: undefined, hasAny: false };

function isFromUser({ role }: Message): boolean {
  return role === "user";
}

/** The calls that a result, or its absence, must belong to. */
function newestCallIds(messages: readonly Message[]): string[] {
  return callIdsOf(messages.findLast((message) => callIdsOf(message).length > 0));
}

function callIdsOf(message: Message | undefined): string[] {
  return message?.role === "assistant"
    ? message.content.flatMap((block) => (block.type === "call" ? [block.id] : []))
    : [];
}

function lostRun(lot: ParkingLot, owner: string, callIds: readonly string[], isStaged: boolean): ColdReason {
  const fate = lot.fate(owner, callIds);
  if (fate === "expired" || fate === "raced") return fate;
  return fate === "lost" || isStaged ? "restarted" : "unknown-call";
}

/** A reply that said nothing has left its checkpoint behind the words that it replied to. */
function hasCheckpointOfNothing(
  store: Store,
  owner: string,
  keys: TranscriptKeys,
  messages: readonly Message[],
): boolean {
  for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - MAX_LOOKS); at--) {
    if (messages[at - 1]?.role === "user" && store.getCheckpoint(owner, keys[at] ?? "") !== undefined) return true;
  }
  return false;
}

function wasSeen(store: Store, owner: string, bareKeys: TranscriptKeys): boolean {
  return bareKeys
    .slice(1, -1)
    .slice(-MAX_LOOKS)
    .some((key) => store.getNote(owner, key) !== undefined);
}
