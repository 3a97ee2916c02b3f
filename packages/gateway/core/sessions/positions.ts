import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { newLineage, type TurnStore } from "../../store/index.js";
import { parseJson } from "../../turn/read-json.js";
import type { Turn } from "../../turn/turn.js";
import { promptTags } from "./fingerprint.js";

/** A point in a conversation from which Cursor can resume. */
export interface Checkpoint extends z.infer<typeof CheckpointHead> {
  /** As received, byte for byte. */
  readonly state: Uint8Array;
  /** What it belongs to in the store: the conversation from its cold start on. */
  readonly lineage: string;
}

const CheckpointHead = z.object({
  conversationId: z.string(),
  /** "staged": the model waits for the results of `calls`; "settled": a user message may follow. */
  phase: z.enum(["staged", "settled"]),
  /** Client calls that are open (staged) or were made in this turn, so that a repeated call is recognised. */
  calls: z.array(z.object({ id: z.string(), upstreamId: z.string(), name: z.string(), input: z.string() })),
  /** Free JSON of the caller. */
  memo: z.string(),
});

/** The settings that a reply was made under. The prompt and the tools are hashes. */
const Settings = z.object({ system: z.string(), tools: z.string(), model: z.string() });
export type SeenSettings = z.infer<typeof Settings>;

/** Where a reply ended: the keys of the transcript that the client will send back, and its settings. */
const Place = Settings.extend({ backend: z.string(), key: z.string(), bareKey: z.string() });
export type Place = z.infer<typeof Place>;

const Position = Place.extend({ checkpoint: CheckpointHead.optional() });

/** The transcripts that end with a call: its client sends back one of them, with the results. */
export interface CallOrigin {
  readonly keys: ReadonlySet<string>;
  readonly bareKeys: ReadonlySet<string>;
}

export function seenSettings({ system, tools }: Turn, model: string): SeenSettings {
  return { ...promptTags(system, tools), model };
}

interface SavedPosition extends Place {
  readonly owner: string;
  readonly lineage: string;
  readonly firstKey: string;
  readonly callIds: Iterable<string>;
  readonly checkpoint?: Omit<Checkpoint, "lineage"> | undefined;
}

/** Stores a position under all names that it is looked up by. Returns whether it was stored. */
export function savePosition(
  store: Pick<TurnStore, "put" | "lineageAt">,
  { owner, lineage, firstKey, callIds, checkpoint, ...place }: SavedPosition,
): boolean {
  const calls = Array.from(callIds, callName);
  if (checkpoint === undefined) {
    // A checkpoint may stand under the names of the calls already, and must not be replaced.
    return store.put(owner, lineage, { names: [`calls ${place.key}`, ...calls], text: JSON.stringify(place) });
  }
  const { state, ...head } = checkpoint;
  const first = firstName(firstKey);
  const isFound = store.lineageAt(owner, first) === lineage;
  const names = [checkpointName(place.key), seenName(place.bareKey), ...(isFound ? [] : [first]), ...calls];
  return store.put(owner, lineage, { names, text: JSON.stringify({ ...place, checkpoint: head }), bytes: state });
}

export type PositionStore = Pick<TurnStore, "get" | "has">;

/** A checkpoint, and the place where its reply ended. */
export function checkpointAt(store: PositionStore, owner: string, key: string) {
  const row = store.get(owner, checkpointName(key));
  const position = row && read(row.text);
  if (row === undefined || position?.checkpoint === undefined) return undefined;
  const { checkpoint, ...place } = position;
  const found: Checkpoint = { ...checkpoint, state: row.bytes, lineage: row.lineage };
  return { checkpoint: found, place };
}

/** The place of a reply with this transcript, under any settings. */
export function seenAt(store: PositionStore, owner: string, bareKey: string): Place | undefined {
  const row = store.get(owner, seenName(bareKey));
  return row && read(row.text);
}

/** Whether any stored conversation begins like this. If none does, its later messages need no lookup. */
export function hasBegun(store: PositionStore, owner: string, firstKey: string): boolean {
  return store.has(owner, firstName(firstKey));
}

/** Where the first known one of these calls was made; undefined when this gateway made none of them. */
export function originOf(store: PositionStore, owner: string, callIds: readonly string[]): CallOrigin | undefined {
  for (const id of callIds) {
    const row = store.get(owner, callName(id));
    const place = row && read(row.text);
    if (place !== undefined) return { keys: new Set([place.key]), bareKeys: new Set([place.bareKey]) };
  }
  return undefined;
}

/** Remembers that a run of the conversation got no results, because Cursor may refuse the id in every branch. */
export function noteLeft(store: Pick<TurnStore, "put">, owner: string, lineage: string, conversationId: string): void {
  store.put(owner, lineage, { names: [leftName(conversationId)], text: "" });
}

export const wasLeft = (store: PositionStore, owner: string, id: string) => store.has(owner, leftName(id));

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 20;

/** 25 characters that every dialect accepts. 100 bits are random, so that clients cannot guess each other's call ids. */
function newCallId(): string {
  let id = "call_";
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}

/** All that is random in the core. Tests may pass their own. */
export interface NewIds {
  call(): string;
  conversation(): string;
  lineage(): string;
}

export const randomIds: NewIds = { call: newCallId, conversation: randomUUID, lineage: newLineage };

/** Undefined for what another version has written. */
function read(text: string): z.infer<typeof Position> | undefined {
  return Position.safeParse(parseJson(text)).data;
}

const checkpointName = (key: string) => `at ${key}`;
const seenName = (bareKey: string) => `seen ${bareKey}`;
const firstName = (firstKey: string) => `first ${firstKey}`;
const callName = (id: string) => `call ${id}`;
const leftName = (conversationId: string) => `left ${conversationId}`;
