import { randomBytes } from "node:crypto";
import type { TurnStore } from "../store/index.js";
import type { Turn } from "../turn/turn.js";
import { promptTags } from "./fingerprint.js";

/** What a reply was made under. The prompt and the tools are hashes. */
export interface SeenSettings {
  readonly system: string;
  readonly tools: string;
  readonly model: string;
}

/** Noted under the key of the transcript alone, so that a turn under other settings finds the checkpoint. */
interface SeenReply extends SeenSettings {
  readonly backend: string;
  readonly key: string;
}

export function seenSettings({ system, tools }: Turn, model: string): SeenSettings {
  return { ...promptTags(system, tools), model };
}

export function noteReply(
  store: Pick<TurnStore, "putNote">,
  owner: string,
  bareKey: string,
  { backend, key, system, tools, model }: SeenReply,
): void {
  store.putNote(owner, bareKey, [backend, key, system, tools, model].join(" "));
}

export function seenReply(store: Pick<TurnStore, "getNote">, owner: string, bareKey: string): SeenReply | undefined {
  const [backend, key, system, tools, ...model] = store.getNote(owner, bareKey)?.split(" ") ?? [];
  if (backend === undefined || key === undefined || system === undefined || tools === undefined) return undefined;
  return { backend, key, system, tools, model: model.join(" ") };
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 20;

/** 25 characters that every dialect accepts. 100 bits are random, so nobody can guess the id of somebody else's call. */
export function newCallId(): string {
  let id = "call_";
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}

/** The transcripts that end with a call: its client sends back one of them, with the results. */
export interface CallOrigin {
  readonly keys: ReadonlySet<string>;
  readonly bareKeys: ReadonlySet<string>;
}

/** Remembers where calls were made. Unlike the run that waits for them, this outlives the process. */
export function rememberCalls(
  store: Pick<TurnStore, "putNote">,
  owner: string,
  callIds: Iterable<string>,
  { key, bareKey }: { readonly key: string; readonly bareKey: string },
): void {
  for (const id of callIds) store.putNote(owner, noteKey(id), `${key} ${bareKey}`);
}

/** Where the first known one of these calls was made; undefined when this gateway made none of them. */
export function originOf(
  store: Pick<TurnStore, "getNote">,
  owner: string,
  callIds: readonly string[],
): CallOrigin | undefined {
  for (const id of callIds) {
    const [key, bareKey] = store.getNote(owner, noteKey(id))?.split(" ") ?? [];
    if (key !== undefined && bareKey !== undefined) return { keys: new Set([key]), bareKeys: new Set([bareKey]) };
  }
  return undefined;
}

function noteKey(callId: string): string {
  return `call ${callId}`;
}
