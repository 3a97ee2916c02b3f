import type { ClientCall, RecordedCall, Resumption } from "../backends/backend.js";
import type { Checkpoint, TurnStore } from "../store/index.js";
import type { CallBlock, ToolResult } from "../turn/blocks.js";
import type { CheckpointEvent } from "../turn/event.js";
import type { AssistantMessage, Message, Turn } from "../turn/turn.js";
import { type KnownReminders, readKnownReminders, remainingMessages, writeKnownReminders } from "./reminders.js";

/** A checkpoint to resume from, and how far back in the transcript it lies. */
export interface FoundCheckpoint extends Pick<Checkpoint, "conversationId" | "calls" | "phase"> {
  readonly from: Resumption;
  /** True when only new messages are left to send: the last user message, or the results of calls. */
  readonly isExact: boolean;
  /** The reminders that the model knows once the remaining messages are sent. */
  readonly knownReminders: KnownReminders;
}

export interface CheckpointSearch {
  /** The newest checkpoint of this transcript that can be resumed. */
  readonly found: FoundCheckpoint | undefined;
  /** Whether the transcript has any checkpoint, including those that cannot be resumed. */
  readonly hasAny: boolean;
}

/** The conversation that a checkpoint belongs to. */
export interface CheckpointOf {
  readonly owner: string;
  readonly conversationId: string;
  readonly knownReminders: KnownReminders;
}

/** Stores a checkpoint under the key of its transcript. Returns whether it is kept. */
export function keepCheckpoint(
  store: TurnStore,
  key: string,
  { state, phase, calls = [] }: CheckpointEvent,
  openCalls: readonly ClientCall[],
  { owner, conversationId, knownReminders }: CheckpointOf,
): boolean {
  const asked = [...new Map([...calls, ...openCalls].map((call) => [call.id, call])).values()];
  const memo = writeKnownReminders(knownReminders);
  return store.putCheckpoint(owner, key, { state, phase, conversationId, calls: asked, memo });
}

export function findCheckpoint(
  store: Pick<TurnStore, "getCheckpoint">,
  owner: string,
  /** The key of the first messages, as many as are asked for. */
  keyAt: (at: number) => string | undefined,
  messages: readonly Message[],
  maxLooks = Number.POSITIVE_INFINITY,
): CheckpointSearch {
  let hasAny = false;
  let answered: ReadonlySet<string> | undefined;
  const calledAt = messages.at(-1)?.role === "tool" ? newestCalls(messages) : undefined;
  for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - maxLooks); at--) {
    const key = keyAt(at);
    if (at === calledAt && key !== undefined) {
      const opening = store.getCheckpoint(owner, openingKey(key));
      if (opening !== undefined) return { found: fromOpening(opening, messages.slice(at)), hasAny: true };
    }
    if (messages[at - 1]?.role === "user") continue; // checkpoints come after the model's messages
    const checkpoint = key === undefined ? undefined : store.getCheckpoint(owner, key);
    if (checkpoint === undefined) continue;
    hasAny = true;
    const { state, conversationId, phase, calls } = checkpoint;
    const known = readKnownReminders(checkpoint.memo);
    if (phase === "settled") {
      const isExact = at === messages.length - 1 && messages[at]?.role !== "assistant";
      const { rest, knownReminders } = remainingMessages(messages, at, known);
      return {
        found: { from: { state, messages: rest }, conversationId, calls, isExact, phase, knownReminders },
        hasAny,
      };
    }
    // The model waits for results there and cannot go on without all of them.
    if (!hasOnlyResults(messages, at, calls)) continue;
    const results = answered ?? answeredIn(messages);
    answered = results;
    if (calls.every(({ id }) => results.has(id))) {
      const found = {
        from: { state, messages: [] },
        conversationId,
        calls,
        isExact: true,
        phase,
        knownReminders: known,
      };
      return { found, hasAny };
    }
  }
  return { found: undefined, hasAny };
}

/**
 * The key of a checkpoint that holds a request and nothing of its reply. It is not the key of the request itself, which is also
 * that of an empty reply.
 */
export function openingKey(key: string): string {
  return `opening ${key}`;
}

/** Resumes from before the newest calls. They and their results go upstream as history. */
function fromOpening(
  { state, conversationId, calls, phase, memo }: Checkpoint,
  messages: readonly Message[],
): FoundCheckpoint {
  const knownReminders = readKnownReminders(memo);
  return { from: { state, messages }, conversationId, calls, isExact: false, phase, knownReminders };
}

/** The position of the reply that first made the newest calls. It may have been followed by repetitions of some of them. */
function newestCalls(messages: readonly Message[]): number | undefined {
  const newest = messages.findLast(({ role }) => role === "assistant");
  if (newest?.role !== "assistant") return undefined;
  const ids = new Set(newest.content.flatMap((block) => (block.type === "call" ? [block.id] : [])));
  const at = messages.findIndex(
    (message) =>
      message.role === "assistant" && message.content.some((block) => block.type === "call" && ids.has(block.id)),
  );
  return at < 0 ? undefined : at;
}

/** Whether the messages since then are only results, and calls that were sent again while their results were missing. */
function hasOnlyResults(messages: readonly Message[], since: number, calls: Checkpoint["calls"]): boolean {
  const ids = new Set(calls.map(({ id }) => id));
  const isRepeat = ({ content }: AssistantMessage) =>
    content.every((block) => block.type === "call" && ids.has(block.id));
  for (let at = since; at < messages.length; at++) {
    const message = messages[at];
    const isAnswering = message?.role === "tool" || (message?.role === "assistant" && isRepeat(message));
    if (!isAnswering) return false;
  }
  return true;
}

/** The ids of the calls that have results. */
export function answeredIn(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages)
    if (message.role === "tool") for (const { callId } of message.results) ids.add(callId);
  return ids;
}

/** Calls of the newest message with calls that have no result, when the client has sent other results. */
export function missingCalls(messages: readonly Message[]): readonly CallBlock[] {
  if (messages.at(-1)?.role !== "tool") return [];
  const newest = messages.findLastIndex(({ role }) => role !== "tool");
  const message = messages[newest];
  if (message?.role !== "assistant") return [];
  const answered = answeredIn(messages);
  return message.content.filter((block) => block.type === "call").filter(({ id }) => !answered.has(id));
}

/** The calls since the newest user message, with their results. The model may repeat them, and the client must not run them twice. */
export function recordedCalls(turn: Turn, known: Checkpoint["calls"]): RecordedCall[] {
  const newestUser = turn.messages.findLastIndex(({ role }) => role === "user");
  const results = new Map<string, ToolResult>();
  const openCalls = new Map(known.map((call) => [call.id, call]));
  const calls = new Map<string, RecordedCall>();
  for (const message of turn.messages.slice(newestUser + 1)) {
    if (message.role === "tool") for (const result of message.results) results.set(result.callId, result);
  }
  for (const [round, message] of turn.messages.slice(newestUser + 1).entries()) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "call" || calls.has(block.id)) continue;
      const open = openCalls.get(block.id);
      const upstreamId = open?.upstreamId ?? block.id;
      const { id, name, input } = block;
      const result = results.get(id);
      const isSettled = result !== undefined && open === undefined;
      calls.set(id, { id, upstreamId, name, input, round, result, isSettled });
    }
  }
  return [...calls.values()];
}
