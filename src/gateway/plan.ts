import type { RecordedCall } from "../backends/backend.js";
import { missingCalls, recordedCalls } from "../sessions/checkpoints.js";
import type { TranscriptKeys } from "../sessions/fingerprint.js";
import type { Known } from "../sessions/known.js";
import type { ParkedRun } from "../sessions/parking.js";
import { type KnownReminders, knownIn } from "../sessions/reminders.js";
import type { CallBlock } from "../turn/blocks.js";
import type { ErrorCode } from "../turn/error.js";
import { estimatedInput } from "../turn/estimate.js";
import type { Message, Turn } from "../turn/turn.js";

/** The comments are the table of `x-curlew-continuity` in the guide. */
type ColdReason =
  /** The first message of a conversation. */
  | "new"
  /** The run or the CLI session was no longer waiting for the results. */
  | "expired"
  /** The run was lost in a restart or a broken connection. */
  | "restarted"
  /** The history was edited; resumed from the last point before the edit, or from the start. */
  | "edited"
  /** Another request had already taken the run. */
  | "raced"
  /** A new message came instead of the results. */
  | "superseded"
  /** Results of calls that this gateway never made. */
  | "unknown-call"
  /** Cursor wanted content that is gone. */
  | "blob-missing"
  /** Another system prompt, other tools or another backend: a new conversation for Cursor. */
  | "settings-changed";

/** Whether a reply resumed the state that upstream had, and if not, why. */
export type Continuity = "warm" | `cold:${ColdReason}`;

/** The id and keys under which a reply stores its state for the next request. */
export interface Conversation {
  readonly id: string;
  /** The key of all messages of the request, under its settings. */
  readonly key: string;
  /** The key of all messages, whatever the settings. */
  readonly bareKey: string;
  /** The reminders that the model knows once this request is sent. */
  readonly knownReminders: KnownReminders;
}

/** Asks for the title of a conversation by the cheap call. */
interface TitlePlan {
  readonly kind: "title";
  readonly continuity: "cold:new";
}

/** Hands results to the run that waits for them. */
export interface ResultsPlan {
  readonly kind: "results";
  readonly continuity: "warm";
  readonly conversation: Conversation;
  readonly run: ParkedRun;
}

/** No run waits for this turn, or the turn does not fit the run that waits. */
interface PlanWithoutRun {
  readonly continuity: Continuity;
  /** The run that the client has abandoned by this request. */
  readonly superseded: ParkedRun | undefined;
}

/** Sends the calls again whose results are missing. */
interface RepeatCallsPlan extends PlanWithoutRun {
  readonly kind: "repeat-calls";
  readonly calls: readonly CallBlock[];
}

interface StartPlan extends PlanWithoutRun {
  readonly conversation: Conversation;
  /** The messages that the model has not seen yet. */
  readonly messages: readonly Message[];
  /** The calls of this turn so far, which the model may make again. */
  readonly priorCalls: readonly RecordedCall[];
}

/** Starts a run from a checkpoint, with the messages since then. */
export interface ResumePlan extends StartPlan {
  readonly kind: "resume";
  readonly state: Uint8Array;
}

/** Starts a run from the whole transcript. */
export interface ColdPlan extends StartPlan {
  readonly kind: "cold";
}

/** The plans that lead to a run. */
export type RunPlan = ResultsPlan | ResumePlan | ColdPlan;

/** The plans that belong to a conversation. */
export type TurnPlan = RunPlan | RepeatCallsPlan;

/** How the gateway will serve a turn. */
export type Plan = TurnPlan | TitlePlan;

/** Plans a turn by what is known of its conversation. Changes neither of them. */
export function planTurn(turn: Turn, known: Known, canTitleCheaply: boolean): Plan {
  // The cheap call has no parameters for formats or stop sequences.
  if (canTitleCheaply && turn.format === undefined && turn.stop === undefined) return titlePlan;
  const { messages } = turn;
  const { keys, parked } = known;
  if (parked !== undefined && takesResultsOf(messages, parked, keys)) {
    return { kind: "results", continuity: "warm", conversation: conversationOf(known, parked), run: parked };
  }
  const continuity = continuityOf(messages, known, parked);
  const calls = missingCalls(messages);
  if (calls.length > 0) return { kind: "repeat-calls", continuity, calls, superseded: parked };
  const { found } = known.search;
  const priorCalls = recordedCalls(turn, found?.calls ?? []);
  const conversation = conversationOf(
    known,
    found ?? { conversationId: known.newId, knownReminders: knownIn(messages) },
  );
  const start = { continuity, conversation, priorCalls, superseded: parked };
  return found === undefined ? { kind: "cold", ...start, messages } : { kind: "resume", ...start, ...found.from };
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

/** The calls that a run of this plan may make again; a second run for the same reply included. */
export function priorCallsOf(plan: RunPlan, turn: Turn): readonly RecordedCall[] {
  return plan.kind === "results" ? recordedCalls(turn, []) : plan.priorCalls;
}

/**
 * The tokens that a plan sends although the model had them before: the messages up to the model's newest one. The system prompt
 * and the tools travel with every run, so they are not counted.
 */
export function tokensSentAgain(plan: Plan): number {
  switch (plan.kind) {
    case "title":
    case "results":
    case "repeat-calls":
      return 0;
    case "resume":
    case "cold":
      return tokensIn(historyOf(plan.messages));
  }
}

/** What came before the newest words or results of the client. */
export function historyOf(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** The tokens of messages alone. */
export function tokensIn(messages: readonly Message[]): number {
  return estimatedInput({ system: "", tools: [], messages });
}

const titlePlan: TitlePlan = { kind: "title", continuity: "cold:new" };

/** Failures by which a backend says that its state is lost. The transcript is still enough for a new run. */
const stateLost: Partial<Record<ErrorCode, Continuity>> = {
  blob_missing: "cold:blob-missing",
  session_expired: "cold:expired",
};

/** A waiting run takes nothing but results: user messages among them would be lost. */
function takesResultsOf(messages: readonly Message[], run: ParkedRun, keys: TranscriptKeys): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const parkedAt = keys.findIndex((key) => run.keys.has(key));
  return parkedAt >= 0 && !messages.slice(parkedAt).some(({ role }) => role === "user");
}

function conversationOf(
  { keys, bareKeys }: Known,
  { conversationId, knownReminders }: { readonly conversationId: string; readonly knownReminders: KnownReminders },
): Conversation {
  return { id: conversationId, key: keys.at(-1) ?? "", bareKey: bareKeys.at(-1) ?? "", knownReminders };
}

/** The continuity of a turn that no run waits for. */
function continuityOf(messages: readonly Message[], known: Known, superseded: ParkedRun | undefined): Continuity {
  if (superseded !== undefined) return `cold:${turnedAway(superseded, known)}`;
  const { found, hasAny } = known.search;
  if (found?.isExact === true && found.phase === "settled") return "warm";
  if (messages.at(-1)?.role === "tool") return `cold:${lostRun(known, found?.isExact === true)}`;
  if (hasAny || known.hasEmptyReply) return "cold:edited";
  return known.wasSeen ? "cold:settings-changed" : "cold:new";
}

function turnedAway(run: ParkedRun, { keys, bareKeys }: Known): ColdReason {
  if (keys.some((key) => run.keys.has(key))) return "superseded";
  return bareKeys.some((key) => run.bareKeys.has(key)) ? "settings-changed" : "edited";
}

function lostRun(known: Known, isStaged: boolean): ColdReason {
  const { fate } = known;
  if (fate === "expired" || fate === "raced") return fate;
  if (fate === "lost" || isStaged) return "restarted";
  return known.areCallsOfOtherSettings ? "settings-changed" : "unknown-call";
}
