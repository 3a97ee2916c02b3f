import { createHash, type Hash, hash as hashOnce } from "node:crypto";
import { yieldToOthers } from "../../system/clock.js";
import { type CallBlock, type InputBlock, joinText } from "../../turn/blocks.js";
import { canonical, canonicalJson } from "../../turn/canonical.js";
import { perPrompt, perToolList } from "../../turn/per-tool-list.js";
import { Slices } from "../../turn/slices.js";
import type { Message, Turn } from "../../turn/turn.js";
import { splitReminders } from "./reminders.js";

/** Text is hashed in pieces of about this size, because calling the hash costs more than hashing a short piece. */
const HELD_CHARACTERS = 4_096;

/** The part of a key that tells the conversations of one owner apart: 8 bytes. */
const THREAD_KEY_CHARACTERS = 11;

/** The key of each prefix of a transcript: `keys[n]` stands for its first n messages. */
export type TranscriptKeys = readonly string[];

/**
 * A hash chain over the messages without the settings: each key stands for all before it. The keys leave out what clients
 * change between two turns: cache marks, item ids, whether text is a string or parts, white space at the ends, reminders, and
 * thinking, which only some clients send back. An empty message does not change the key.
 */
export function transcriptKeys(messages: readonly Message[]): TranscriptKeys {
  const known = longTranscripts.get(messages);
  if (known !== undefined) return known;
  let key = hash("");
  const keys = [key];
  for (const message of messages) {
    key = keyAfter(key, message);
    keys.push(key);
  }
  return keys;
}

/** The keys of long transcripts, collected with their messages. */
const longTranscripts = new WeakMap<readonly Message[], TranscriptKeys>();

/** Makes the keys of a long transcript in slices. `transcriptKeys` then has them: a lookup must not be interrupted. */
export async function makeKeysInSlices(messages: readonly Message[]): Promise<void> {
  const slices = new Slices();
  let key = hash("");
  const keys = [key];
  for (const message of messages) {
    if (slices.isFullBefore(message)) await yieldToOthers();
    key = keyAfter(key, message);
    keys.push(key);
  }
  longTranscripts.set(messages, keys);
}

/**
 * Identifies a conversation even after edits: made from its owner and the first user message. Equal beginnings are one
 * conversation here. People type it into commands, so it has only digits and letters.
 */
export function threadOf(messages: readonly Message[], owner: string): string {
  const first = messages.find(({ role }) => role === "user");
  const key = first === undefined ? hash(owner) : makeKeyAfter(owner, first);
  return Buffer.from(key.slice(0, THREAD_KEY_CHARACTERS), "base64url").toString("hex");
}

/** The key of a transcript under its settings. Not hashed here, because the store hashes it. */
export function keyUnder(settings: string, bareKey: string): string {
  return `${settings}.${bareKey}`;
}

interface MetMessage {
  readonly message: Message;
  readonly before: string;
  readonly after: string;
}

/** By their first block, the messages whose keys were made: what a client repeats has the same blocks. */
const met = new WeakMap<object, MetMessage>();

function keyAfter(before: string, message: Message): string {
  const [first] = message.role === "tool" ? (message.results[0]?.content ?? []) : message.content;
  const known = first && met.get(first);
  if (known?.before === before && hasSameBlocks(known.message, message)) return known.after;
  const after = makeKeyAfter(before, message);
  if (first !== undefined) met.set(first, { message, before, after });
  return after;
}

function hasSameBlocks(one: Message, other: Message): boolean {
  if (one.role !== "tool") return one.role === other.role && isSameList(one.content, other.content);
  if (other.role !== "tool" || one.results.length !== other.results.length) return false;
  return one.results.every(({ callId, content }, at) => {
    const result = other.results[at];
    return result?.callId === callId && isSameList(content, result.content);
  });
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((block, at) => block === other[at]);
}

/** Hashes seldom: long conversations have thousands of messages, and a call of the hash costs more than its text. */
function makeKeyAfter(key: string, message: Message): string {
  switch (message.role) {
    case "user": {
      const { words } = splitReminders(joinText(message.content));
      return hash(`${key} user ${imageHashes(message.content).join(" ")}\n${words.trim()}`);
    }
    case "assistant": {
      const text = joinText(message.content).trim();
      const calls = message.content.filter((block) => block.type === "call");
      return keyAfterReply(key, { isEmpty: text === "", end: () => hash(text) }, calls);
    }
    case "tool": {
      const results = message.results.map(({ callId, content }) => [
        callId,
        joinText(content).trim(),
        ...imageHashes(content),
      ]);
      return hash(`${key} tool ${JSON.stringify(results)}`);
    }
  }
}

export function keyAfterReply(
  key: string,
  text: Pick<TextDigest, "isEmpty" | "end">,
  calls: readonly CallBlock[],
): string {
  if (text.isEmpty && calls.length === 0) return key;
  const called = calls.map(({ id, name, input }) => [id, name, canonicalJson(input)]);
  return hash(`${key} assistant ${text.end()} ${JSON.stringify(called)}`);
}

/** Hashes a text without the white space at its ends, piece by piece, so that a long answer is not held in memory. */
export class TextDigest {
  isEmpty = true;
  /** Set only for a text that is longer than one piece. */
  #hash: Hash | undefined;
  #held = "";
  #ended: string | undefined;

  push(piece: string): void {
    this.#ended = undefined;
    this.#held = this.isEmpty ? (this.#held + piece).trimStart() : this.#held + piece;
    if (this.#held === "") return;
    this.isEmpty = false;
    if (this.#held.length < HELD_CHARACTERS) return;
    // A piece must not end inside a surrogate pair.
    const kept = this.#held.trimEnd().replace(/[\uD800-\uDBFF]$/, "");
    this.#hash ??= createHash("sha256");
    this.#hash.update(kept);
    this.#held = this.#held.slice(kept.length);
  }

  end(): string {
    this.#ended ??= this.#digest(this.#held.trimEnd());
    return this.#ended;
  }

  #digest(rest: string): string {
    return this.#hash === undefined ? hash(rest) : this.#hash.copy().update(rest).digest("base64url");
  }
}

/** The key of a conversation's settings: another system prompt, list of tools or workspace is another conversation. */
export function settingsKey({ system, tools, workspace }: Turn): string {
  if (workspace === undefined) return keyWithoutWorkspace(system, tools);
  return hash(`[${JSON.stringify(system)},${canonicalTools(tools)},${JSON.stringify(workspace)}]`);
}

const keyWithoutWorkspace = perPrompt((system, tools) => hash(`[${JSON.stringify(system)},${canonicalTools(tools)}]`));

export const promptTags = perPrompt((system, tools) => ({ system: hash(system), tools: hash(canonicalTools(tools)) }));

const canonicalTools = perToolList((tools) =>
  JSON.stringify(tools.map(({ name, description, inputSchema }) => [name, description, canonical(inputSchema)])),
);

function imageHashes(blocks: readonly InputBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "text") return [];
    return [hash("url" in block ? block.url : block.data)];
  });
}

function hash(data: string | Uint8Array): string {
  return hashOnce("sha256", data, "base64url");
}
