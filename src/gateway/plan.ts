import type { RecordedCall, Resumption } from "../backends/backend.js";
import { type FoundCheckpoint, missingCalls, recordedCalls } from "../sessions/checkpoints.js";
import { promptTags } from "../sessions/fingerprint.js";
import type { Known } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import { knownIn } from "../sessions/reminders.js";
import type { CallBlock } from "../turn/blocks.js";
import type { ErrorCode } from "../turn/error.js";
import type { Message, Turn } from "../turn/turn.js";
import { type Continuity, type Conversation, continuityOf, conversationOf, resumedConversation } from "./continuity.js";
import { planResults, type ResultsPlan } from "./results-plan.js";

export interface TitlePlan {
  readonly kind: "title";
  readonly continuity: "cold:new";
}

/** No run waits for this turn, or the turn does not fit the run that waits. */
interface PlanWithoutRun {
  readonly continuity: Continuity;
  /** The run that the client has abandoned by this request. */
  readonly superseded: ParkedRun | undefined;
}

/** Sends the calls again whose results are missing. A run that waits goes on waiting: all results may still come. */
export interface RepeatCallsPlan {
  readonly kind: "repeat-calls";
  readonly continuity: Continuity;
  readonly calls: readonly CallBlock[];
}

interface StartPlan extends PlanWithoutRun {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  /** The calls of this turn so far, which the model may make again. */
  readonly priorCalls: readonly RecordedCall[];
}

export interface ResumePlan extends StartPlan {
  readonly kind: "resume";
  readonly state: Uint8Array;
  /** For a state that waits for results: another from before their calls, to which a message of the user can be added. */
  readonly beforeCalls?: Resumption | undefined;
  /** Whether the state was made with other tools. It is not proven that the model gets the new ones (docs/protocol/wire.md). */
  readonly hasOtherTools: boolean;
}

export interface ColdPlan extends StartPlan {
  readonly kind: "cold";
}

export type RunPlan = ResultsPlan | ResumePlan | ColdPlan;

export type TurnPlan = RunPlan | RepeatCallsPlan;

export type Plan = TurnPlan | TitlePlan;

/** Plans a turn by what is known of its conversation. Changes neither of them. */
export function planTurn(turn: Turn, known: Known, canTitleCheaply: boolean): Plan {
  // The cheap call has no parameters for formats or stop sequences.
  if (canTitleCheaply && turn.format === undefined && turn.stop === undefined) return titlePlan;
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
      ? conversationOf(known, { conversationId: known.newId, knownReminders: knownIn(messages) })
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

/** The plan after a failure that says that upstream has lost the state; undefined after other failures. */
export function planWithout(plan: Plan, turn: Turn, code: ErrorCode): ColdPlan | undefined {
  const continuity = stateLost[code];
  if (continuity === undefined || (plan.kind !== "results" && plan.kind !== "resume")) return undefined;
  return {
    kind: "cold",
    continuity,
    conversation: plan.conversation,
    messages: turn.messages,
    priorCalls: priorCallsOf(plan, turn),
    superseded: undefined, // closed by now
  };
}

/**
 * The plan after a run that was started with results alone has answered nothing: the same with words of ours. Undefined where the
 * run had words of the user, or where it waited for the results in a state that takes no words.
 */
export function planInWords(plan: RunPlan, turn: Turn): ResumePlan | ColdPlan | undefined {
  if (plan.kind === "results" || turn.messages.at(-1)?.role !== "tool") return undefined;
  const isWaiting = plan.kind === "resume" && plan.messages.length === 0;
  const from = isWaiting ? plan.beforeCalls : plan;
  if (from === undefined) return undefined;
  return { ...plan, ...from, priorCalls: recordedCalls(turn, []), superseded: undefined };
}

/** The plan after a resumed model has shown that it does not get the new tools: another conversation, with the whole transcript. */
export function planAnew(plan: RunPlan, { turn, newId }: { readonly turn: Turn; readonly newId: string }): ColdPlan {
  const { messages } = turn;
  return {
    kind: "cold",
    continuity: "cold:settings-changed",
    conversation: { ...plan.conversation, id: newId, knownReminders: knownIn(messages) },
    messages,
    priorCalls: recordedCalls(turn, []),
    superseded: undefined,
  };
}

/** The calls that a run of this plan may make again; a second run for the same reply included. */
export function priorCallsOf(plan: RunPlan, turn: Turn): readonly RecordedCall[] {
  return plan.kind === "results" ? recordedCalls(turn, []) : plan.priorCalls;
}

const titlePlan: TitlePlan = { kind: "title", continuity: "cold:new" };

/** Failures by which a backend says that its state is lost. The transcript is still enough for a new run. */
const stateLost: Partial<Record<ErrorCode, Continuity>> = {
  blob_missing: "cold:blob-missing",
  session_expired: "cold:expired",
};

/** A checkpoint made under other settings, unless there is one under these. A waiting model must still have its tools. */
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

/** The greater, the less is sent again. */
function reachOf(found: FoundCheckpoint | undefined): number {
  if (found === undefined) return 0;
  return 1 + Number(found.isNewest) + Number(found.isExact);
}
