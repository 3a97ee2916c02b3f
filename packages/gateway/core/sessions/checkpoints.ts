import type { RecordedCall, Resumption } from "../../backends/backend.js";
import type { CallBlock, ToolResult } from "../../turn/blocks.js";
import type { Message, Turn } from "../../turn/turn.js";
import type { Checkpoint } from "./positions.js";
import { type KnownReminders, knownIn, readKnownReminders, remainingMessages } from "./reminders.js";

/** How many messages back we look for a checkpoint from before a reply: its results may have come in many pieces. */
const MAX_OPENING_LOOKS = 100;

/** A checkpoint to resume from, and how far back in the transcript it lies. */
export interface FoundCheckpoint extends Pick<Checkpoint, "conversationId" | "lineage" | "calls" | "phase"> {
  readonly from: Resumption;
  /** True when only new messages are left to send: words of the user, or the results of calls. */
  readonly isExact: boolean;
  /** True when nothing from before the newest reply is left to send; the reply itself may be. */
  readonly isNewest: boolean;
  /** Whether a run has continued from here to calls, and may have ended before they were answered. */
  readonly wasLeft: boolean;
  readonly knownReminders: KnownReminders;
  /** For a checkpoint that waits for results: the state from before the calls, with the calls and results as messages. */
  readonly beforeCalls?: Resumption | undefined;
}

export interface CheckpointSearch {
  readonly found: FoundCheckpoint | undefined;
  /** Whether the transcript has any checkpoint, including those that cannot be resumed. */
  readonly hasAny: boolean;
}

/** The keys of the checkpoints that hold the first `count` messages of a transcript. */
export interface CheckpointKeys {
  /** The last of them is the model's reply. */
  after(count: number): string | undefined;
  /** They are a request; the checkpoint holds nothing of its reply. */
  opening(count: number): string | undefined;
}

export function findCheckpoint(
  read: (key: string) => Checkpoint | undefined,
  keys: CheckpointKeys,
  messages: readonly Message[],
  maxLooks = Number.POSITIVE_INFINITY,
): CheckpointSearch {
  const get = (key: string | undefined) => (key === undefined ? undefined : read(key));
  let hasAny = false;
  let answered: ReadonlySet<string> | undefined;
  for (let at = messages.length - 1; at > Math.max(0, messages.length - 1 - maxLooks); at--) {
    const last = messages[at - 1]?.role;
    const checkpoint = last === "user" ? undefined : get(keys.after(at));
    if (checkpoint !== undefined) {
      hasAny = true;
      if (checkpoint.phase === "settled") return { found: fromSettled(checkpoint, messages, at), hasAny };
      // The model waits for results there and cannot continue without all of them.
      const { calls } = checkpoint;
      if (hasOnlyResults(messages, at, calls)) {
        const results = answered ?? answeredIn(messages);
        answered = results;
        if (calls.every(({ id }) => results.has(id))) {
          const opening = get(keys.opening(at - 1));
          const beforeCalls = opening && { state: opening.state, messages: messages.slice(at - 1) };
          return { found: { ...fromStaged(checkpoint), beforeCalls }, hasAny };
        }
      }
    }
    const isNear = messages.length - at <= MAX_OPENING_LOOKS;
    const opening = last === "assistant" || !isNear ? undefined : get(keys.opening(at));
    if (opening !== undefined) return { found: fromOpening(opening, messages, at), hasAny: true };
  }
  return { found: undefined, hasAny };
}

/** The key of a checkpoint from before a reply. The key of the request itself is also that of an empty reply. */
export function openingKey(key: string): string {
  return `opening ${key}`;
}

function fromSettled(checkpoint: Checkpoint, messages: readonly Message[], at: number): FoundCheckpoint {
  const { state, memo, ...found } = checkpoint;
  const isExact = hasOnlyWords(messages, at);
  const wasLeft = hasCalls(messages, at);
  const { rest, knownReminders } = remainingMessages(messages, at, readKnownReminders(memo));
  return { ...found, from: { state, messages: rest }, isExact, isNewest: isExact, wasLeft, knownReminders };
}

function fromStaged({ state, memo, ...found }: Checkpoint): FoundCheckpoint {
  const knownReminders = readKnownReminders(memo);
  return { ...found, from: { state, messages: [] }, isExact: true, isNewest: true, wasLeft: true, knownReminders };
}

/** Resumes from before a reply. The reply and what came after it go upstream as history. */
function fromOpening(checkpoint: Checkpoint, messages: readonly Message[], at: number): FoundCheckpoint {
  const [reply, ...later] = messages.slice(at);
  if (reply?.role !== "assistant") return fromSettled(checkpoint, messages, at);
  const { state, memo, ...found } = checkpoint;
  const made = new Set(reply.content.flatMap((block) => (block.type === "call" ? [block.id] : [])));
  const isNewest = repeatsOnly(later, made);
  const wasLeft = hasCalls(messages, at);
  const knownReminders = new Set([...readKnownReminders(memo), ...knownIn(later)]);
  return { ...found, from: { state, messages: [reply, ...later] }, isExact: false, isNewest, wasLeft, knownReminders };
}

function hasCalls(messages: readonly Message[], since: number): boolean {
  return messages.findLastIndex(isCalling) >= since;
}

export function isCalling(message: Message): boolean {
  return message.role === "assistant" && message.content.some(({ type }) => type === "call");
}

function hasOnlyWords(messages: readonly Message[], since: number): boolean {
  return messages.findLastIndex(({ role }) => role !== "user") < since;
}

/** Whether the messages since then are only results, and calls that were sent again while their results were missing. */
function hasOnlyResults(messages: readonly Message[], since: number, calls: Checkpoint["calls"]): boolean {
  const ids = new Set(calls.map(({ id }) => id));
  return messages.findLastIndex((message) => message.role === "user" || !isRepeat(message, ids)) < since;
}

/** Whether the model's messages among these are only calls that were sent again while their results were missing. */
export function repeatsOnly(messages: readonly Message[], calls: ReadonlySet<string>): boolean {
  return messages.every((message) => isRepeat(message, calls));
}

function isRepeat(message: Message, calls: ReadonlySet<string>): boolean {
  return message.role !== "assistant" || message.content.every((block) => block.type === "call" && calls.has(block.id));
}

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
  if (newestUser === turn.messages.length - 1) return [];
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
