import type { RecordedCall, Resumption } from "../backends/backend.js";
import type { CallBlock, InputBlock } from "../turn/blocks.js";
import type { Message, Turn, UserMessage } from "../turn/turn.js";
import {
  type Continuity,
  type Conversation,
  continuityOf,
  conversationOf,
  resumedConversation,
  type WarmNote,
} from "./continuity.js";
import { answeredIn, type FoundCheckpoint, missingCalls, recordedCalls, repeatsOnly } from "./sessions/checkpoints.js";
import { promptTags } from "./sessions/fingerprint.js";
import type { Known } from "./sessions/known.js";
import type { ParkedRun } from "./sessions/parking.js";
import { knownIn, splitReminders } from "./sessions/reminders.js";

export interface ResultsPlan {
  readonly kind: "results";
  readonly continuity: "warm" | `warm:${WarmNote}`;
  readonly conversation: Conversation;
  readonly run: ParkedRun;
  readonly steering: Steering | undefined;
  /** Whether the steering has words of the user, and not only reminders of the client. */
  readonly isQuestion: boolean;
}

interface Steering {
  readonly words: readonly UserMessage[];
  /** The call whose result carries the words to the model. */
  readonly carrier: string;
}

/** Sends the calls without results again. A waiting run stays parked: all results may still come. */
export interface RepeatCallsPlan {
  readonly kind: "repeat-calls";
  readonly continuity: Continuity;
  readonly calls: readonly CallBlock[];
}

/** No run waits for this turn, or the turn does not fit the run that waits. */
interface StartPlan {
  readonly continuity: Continuity;
  /** The run that the client has abandoned with this request. */
  readonly superseded?: ParkedRun | undefined;
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  /** The calls of this turn so far, which the model may make again. */
  readonly priorCalls: readonly RecordedCall[];
}

export interface ResumePlan extends StartPlan {
  readonly kind: "resume";
  readonly state: Uint8Array;
  /** For a state that waits for results: the one before their calls, to which a user message can be added. */
  readonly beforeCalls?: Resumption | undefined;
  /** Whether the state was made with other tools. It is not proven that the model gets the new ones (docs/protocol/wire.md). */
  readonly hasOtherTools: boolean;
}

export interface ColdPlan extends StartPlan {
  readonly kind: "cold";
}

export type RunPlan = ResultsPlan | ResumePlan | ColdPlan;

export type TurnPlan = RunPlan | RepeatCallsPlan;

/** Plans a turn from what is known about its conversation. Changes nothing. */
export function planTurn(turn: Turn, known: Known): TurnPlan {
  const { messages } = turn;
  const { parked } = known;
  const handing = parked && planResults(turn, parked, known);
  if (handing !== undefined) return handing;
  const own = known.search.found;
  const other = underOtherSettings(turn, known);
  const isOther = reachOf(other) > reachOf(own);
  const found = isOther ? other : own;
  const continuity = continuityOf(messages, known, found, isOther);
  const calls = missingCalls(messages);
  if (calls.length > 0) return { kind: "repeat-calls", continuity, calls };
  const priorCalls = recordedCalls(turn, found?.calls ?? []);
  const conversation =
    found === undefined
      ? conversationOf(known, {
          conversationId: known.newId,
          lineage: known.newLineage,
          knownReminders: knownIn(messages),
        })
      : resumedConversation(known, found);
  const start = { continuity, conversation, priorCalls, superseded: parked };
  return found === undefined
    ? { kind: "cold", ...start, messages }
    : {
        kind: "resume",
        ...start,
        ...found.from,
        beforeCalls: found.beforeCalls,
        hasOtherTools: isOther && hasOtherTools(turn, known),
      };
}

/** A checkpoint of other settings, unless there is an exact one of these. A staged one needs the tools of its calls. */
function underOtherSettings({ tools }: Turn, known: Known): FoundCheckpoint | undefined {
  if (known.search.found?.isExact === true) return undefined;
  const found = known.foundUnderOtherSettings;
  if (found?.phase !== "staged") return found;
  const names = new Set(tools.map(({ name }) => name));
  return found.calls.every(({ name }) => names.has(name)) ? found : undefined;
}

function hasOtherTools({ system, tools }: Turn, { parked, seenUnder }: Known): boolean {
  return (parked?.madeUnder ?? seenUnder)?.tools !== promptTags(system, tools).tools;
}

/** Ranks checkpoints: the greater, the less is sent again. */
function reachOf(found: FoundCheckpoint | undefined): number {
  if (found === undefined) return 0;
  return 1 + Number(found.isNewest) + Number(found.isExact);
}

/**
 * The plan to hand results to the run that waits; undefined when the turn does not fit it. The run takes only results, so
 * the user's words go into the last of them. While results are missing, the words wait in the client's transcript.
 */
function planResults({ messages, tools }: Turn, run: ParkedRun, known: Known): ResultsPlan | undefined {
  let parkedAt = known.countAt(run);
  const hasChanged = parkedAt < 0;
  // A new system prompt takes effect with the next run. A waiting run must have the tools that the client has now.
  if (hasChanged && tools === run.tools) parkedAt = known.bareKeys.findIndex((key) => run.bareKeys.has(key));
  if (parkedAt < 0) return undefined;
  const brought = messages.slice(parkedAt);
  const words = brought
    .filter((message) => message.role === "user")
    .filter(({ content }) => content.some(saysAnything));
  const answered = answeredIn(messages);
  if (words.length > 0 && [...run.seenCalls].every((id) => answered.has(id))) {
    const carrier = repeatsOnly(brought, run.seenCalls) ? carrierOf(words, brought, run) : undefined;
    return carrier === undefined ? undefined : resultsPlan(known, run, hasChanged, { words, carrier });
  }
  const isForRun =
    messages.at(-1)?.role === "tool" || (repeatsOnly(brought, run.seenCalls) && hasNoOpenCall(messages, answered));
  return isForRun ? resultsPlan(known, run, hasChanged, undefined) : undefined;
}

function resultsPlan(known: Known, run: ParkedRun, hasChanged: boolean, steering: Steering | undefined): ResultsPlan {
  const { conversationId, lineage } = run;
  const knownReminders = steering ? new Set([...run.knownReminders, ...knownIn(steering.words)]) : run.knownReminders;
  const conversation = conversationOf(known, { conversationId, lineage, knownReminders });
  const unsteered = hasChanged ? "warm:settings-changed" : "warm";
  const isQuestion = steering?.words.some(({ content }) => content.some(saysMoreThanReminders)) === true;
  const continuity = isQuestion ? "warm:steered" : unsteered;
  return { kind: "results", continuity, conversation, run, steering, isQuestion };
}

/** Whether the client has answered all calls that it was sent. Others may have been held back. */
function hasNoOpenCall(messages: readonly Message[], answered: ReadonlySet<string>): boolean {
  const newest = messages.findLast(({ role }) => role === "assistant");
  return (
    newest?.role === "assistant" && newest.content.every((block) => block.type !== "call" || answered.has(block.id))
  );
}

/** The last call whose result can carry these words. Results are read in the order of the calls, so the words come last. */
function carrierOf(
  words: readonly UserMessage[],
  brought: readonly Message[],
  { carriers }: ParkedRun,
): string | undefined {
  const areWords = words.every(({ content }) => content.every(isReadAsText));
  const results = brought.flatMap((message) => (message.role === "tool" ? message.results : []));
  const contents = new Map(results.map(({ callId, content }) => [callId, content]));
  const [carrier] =
    [...carriers].findLast(([callId, carriage]) => {
      const content = contents.get(callId);
      if (content === undefined) return false;
      return carriage === "anything" || (carriage === "words" && areWords && content.every(isReadAsText));
    }) ?? [];
  return carrier;
}

function saysAnything(block: InputBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "";
}

/** Whether a block has words of the user, and not only reminders of the client. */
export function saysMoreThanReminders(block: InputBlock): boolean {
  return block.type !== "text" || splitReminders(block.text).words.trim() !== "";
}

function isReadAsText({ type }: InputBlock): boolean {
  return type !== "image" && type !== "remote-image";
}
