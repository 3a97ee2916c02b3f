import type { RecordedCall, Resumption } from "../backends/backend.js";
import type { Checkpoint, Store } from "../store/index.js";
import type { CallBlock, ToolResult } from "../turn/blocks.js";
import type { AssistantMessage, Message, Turn } from "../turn/turn.js";
import type { TranscriptKeys } from "./fingerprint.js";
import { readTold, type Told, tellRest } from "./reminders.js";

/** A place to go on from, and how far back in the transcript it lies. */
export interface FoundCheckpoint {
  readonly from: Resumption;
  readonly conversationId: string;
  /** The calls that were open there. */
  readonly calls: Checkpoint["calls"];
  /** True when only what is new is left to say: the last user message, or the results of the calls that were open. */
  readonly isExact: boolean;
  readonly phase: Checkpoint["phase"];
  /** What the model knows of once this is said. */
  readonly told: Told;
}

/** The newest checkpoint that the transcript runs through. */
export function findCheckpoint(
  store: Store,
  owner: string,
  keys: TranscriptKeys,
  messages: readonly Message[],
): FoundCheckpoint | undefined {
  for (let at = messages.length - 1; at > 0; at--) {
    if (messages[at - 1]?.role === "user") continue; // checkpoints stand after the model's words
    const checkpoint = store.getCheckpoint(owner, keys[at] ?? "");
    if (checkpoint === undefined) continue;
    const { state, conversationId, phase, calls } = checkpoint;
    const known = readTold(checkpoint.memo);
    if (phase === "settled") {
      const isExact = at === messages.length - 1 && messages[at]?.role === "user";
      const { rest, told } = tellRest(messages, at, known);
      return { from: { state, messages: rest }, conversationId, calls, isExact, phase, told };
    }
    // The model waits for results there: nothing but all of them lets it go on.
    if (answersAll(messages, at, calls)) {
      return { from: { state, messages: [] }, conversationId, calls, isExact: true, phase, told: known };
    }
  }
  return undefined;
}

/** Whether there is a result for each, and since then nothing else but calls that were told again while it was missing. */
function answersAll(messages: readonly Message[], since: number, calls: Checkpoint["calls"]): boolean {
  const isTelling = ({ content }: AssistantMessage) =>
    content.every((block) => block.type === "call" && calls.some(({ id }) => id === block.id));
  const isAnswering = (message: Message) =>
    message.role === "tool" || (message.role === "assistant" && isTelling(message));
  const answered = new Set(resultsIn(messages).map(({ callId }) => callId));
  return messages.slice(since).every(isAnswering) && calls.every(({ id }) => answered.has(id));
}

function resultsIn(messages: readonly Message[]): ToolResult[] {
  return messages.flatMap((message) => (message.role === "tool" ? message.results : []));
}

/** Calls that the newest message with calls made and that have no result, though the client has given back others. */
export function missingCalls(messages: readonly Message[]): readonly CallBlock[] {
  if (messages.at(-1)?.role !== "tool") return [];
  const newest = messages.findLastIndex(({ role }) => role !== "tool");
  const message = messages[newest];
  if (message?.role !== "assistant") return [];
  const answered = new Set(resultsIn(messages).map(({ callId }) => callId));
  return message.content.filter((block) => block.type === "call").filter(({ id }) => !answered.has(id));
}

/** The calls since the newest user message, with their results: what the model may ask again and the client must not run again. */
export function recordedCalls(turn: Turn, known: Checkpoint["calls"]): RecordedCall[] {
  const newestUser = turn.messages.findLastIndex(({ role }) => role === "user");
  const results = new Map<string, ToolResult>();
  const calls: RecordedCall[] = [];
  for (const message of turn.messages.slice(newestUser + 1)) {
    if (message.role === "tool") for (const result of message.results) results.set(result.callId, result);
  }
  for (const [round, message] of turn.messages.slice(newestUser + 1).entries()) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "call" || calls.some(({ id }) => id === block.id)) continue;
      const open = known.find(({ id }) => id === block.id);
      const upstreamId = open?.upstreamId ?? block.id;
      const { id, name, input } = block;
      const result = results.get(id);
      calls.push({ id, upstreamId, name, input, round, result, isSettled: result !== undefined && open === undefined });
    }
  }
  return calls;
}
