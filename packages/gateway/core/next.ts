import type { BackendName } from "../backends/backend.js";
import { mayFallBack } from "../backends/choose/index.js";
import { type ErrorCode, GatewayError } from "../turn/error.js";
import type { CheckpointEvent } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import type { Continuity } from "./continuity.js";
import type { ColdPlan, ResumePlan, RunPlan, TurnPlan } from "./plan.js";
import { recordedCalls } from "./sessions/checkpoints.js";
import type { Known } from "./sessions/known.js";
import { knownIn } from "./sessions/reminders.js";

export interface FailedBackend {
  readonly kind: "failed-backend";
  readonly name: BackendName;
  /** Undefined when it failed before the model was found. */
  readonly model: string | undefined;
  readonly error: GatewayError;
  /** Whether any event has come from upstream: from then on the run may be billed. */
  readonly hasBegun: boolean;
}

/** A plan failed before the first event that the client sees. */
interface FailedRun {
  readonly kind: "failed-run";
  readonly plan: TurnPlan;
  readonly error: GatewayError;
}

/** A run has ended, and waits for no results. */
export interface Answer {
  readonly kind: "answer";
  readonly plan: RunPlan;
  readonly known: Pick<Known, "newId">;
  /** Whether the model stopped without an answer, on a backend that takes results without words. */
  readonly isEmpty: boolean;
  /** Whether the model says that a tool of the request is missing. */
  readonly missesTool: boolean;
  /** The reminder for a model that has not made the required call. */
  readonly nudge: string | undefined;
  /** Why an answer does not fit the requested format. */
  readonly misfit: { readonly fault: string; readonly instruction: string } | undefined;
  readonly checkpoint: CheckpointEvent | undefined;
}

/** What has been tried for a turn. Immutable: each step returns a new history. */
export interface History {
  readonly turn: Turn;
  /** The backends left to try, in order. */
  readonly backends: readonly BackendName[];
  /** The first backend that failed: the client gets its error if no other replies. */
  readonly first: FailedBackend | undefined;
  /** The chances that the model has had on the current backend. */
  readonly chances: readonly Chance[];
  /** How often a backend may retry a run before its first event. */
  readonly maxRetries: number;
}

type Chance = "state-lost" | "in-words" | "new-tools" | "nudge" | "repair";

/** Another run: its plan, and words of the gateway to append. */
export interface NextRun {
  readonly kind: "run";
  readonly chance: Chance;
  readonly plan: ResumePlan | ColdPlan;
  readonly words: string | undefined;
  readonly history: History;
}

export interface NextBackend {
  readonly kind: "backend";
  readonly name: BackendName;
  readonly history: History;
}

type Admitted = { readonly kind: "admitted" };
type Keep = { readonly kind: "keep" };
type GiveUp = { readonly kind: "give-up"; readonly error: GatewayError; readonly first?: FailedBackend | undefined };

/** The message to a model that has not answered its results. */
const GO_ON = "The results of your tool calls are above. Go on from there.";

/** Errors that mean that the backend has lost the state. The transcript is enough for a new run. */
const stateLost: Partial<Record<ErrorCode, Continuity>> = {
  blob_missing: "cold:blob-missing",
  session_expired: "cold:expired",
};

/** The next step after an outcome. Changes nothing. A backend retries by its own rules, at most `maxRetries` times. */
export function next(outcome: Admitted | FailedBackend, history: History): NextBackend | GiveUp;
export function next(outcome: FailedRun, history: History): NextRun | GiveUp;
export function next(outcome: Answer, history: History): NextRun | GiveUp | Keep;
export function next(outcome: Admitted | FailedBackend | FailedRun | Answer, history: History) {
  switch (outcome.kind) {
    case "admitted":
      return nextBackend(history);
    case "failed-backend":
      return afterBackend(outcome, history);
    case "failed-run": {
      const plan = planWithout(outcome, history.turn);
      return plan === undefined
        ? { kind: "give-up", error: outcome.error }
        : anotherRun("state-lost", plan, undefined, history);
    }
    case "answer":
      return afterAnswer(outcome, history);
  }
}

/** If a fallback fails before its first event, for whatever reason, the next one is tried. */
function afterBackend(failed: FailedBackend, history: History): NextBackend | GiveUp {
  const isReplaced = !failed.hasBegun && (history.first !== undefined || mayFallBack(failed.error.code));
  return nextBackend({ ...history, first: history.first ?? failed, backends: isReplaced ? history.backends : [] });
}

function nextBackend(history: History): NextBackend | GiveUp {
  const [name, ...backends] = history.backends;
  if (name !== undefined) return { kind: "backend", name, history: { ...history, backends, chances: [] } };
  const { first } = history;
  const error = first?.error ?? new GatewayError("server_error", "No backend is available for this request.");
  return { kind: "give-up", error, first };
}

function afterAnswer(answer: Answer, history: History): NextRun | GiveUp | Keep {
  const { plan, nudge, misfit, known } = answer;
  const { turn, chances } = history;
  const isLeftEmpty = answer.isEmpty && !chances.includes("in-words");
  const inWords = isLeftEmpty ? planInWords(plan, turn) : undefined;
  if (inWords !== undefined) return anotherRun("in-words", inWords, GO_ON, history);
  if (areToolsInDoubt(plan) && (nudge !== undefined || answer.missesTool))
    return anotherRun("new-tools", planAnew(plan, turn, known.newId), undefined, history);
  if (nudge !== undefined) return askAgain("nudge", nudge, choiceIgnored(), answer, history);
  if (misfit === undefined) return { kind: "keep" };
  const { fault, instruction } = misfit;
  const words = `Your last answer cannot be used: ${fault}. Give it again.\n\n${instruction}`;
  return askAgain("repair", words, formatNotMet(fault), answer, history);
}

/** Continues from the answer with words of the gateway, once. */
function askAgain(
  chance: Chance,
  words: string,
  error: GatewayError,
  { plan, checkpoint }: Answer,
  history: History,
): NextRun | GiveUp {
  if (checkpoint === undefined || history.chances.includes(chance)) return { kind: "give-up", error };
  const { conversationId: id = plan.conversation.id, state } = checkpoint;
  const conversation = { ...plan.conversation, id };
  const start = {
    continuity: plan.continuity,
    conversation,
    messages: [],
    priorCalls: priorCallsOf(plan, history.turn),
  };
  return anotherRun(chance, { kind: "resume", ...start, state, hasOtherTools: false }, words, history);
}

function anotherRun(chance: Chance, plan: NextRun["plan"], words: string | undefined, history: History): NextRun {
  return { kind: "run", chance, plan, words, history: { ...history, chances: [...history.chances, chance] } };
}

export function areToolsInDoubt(plan: RunPlan): boolean {
  return plan.kind === "resume" && plan.hasOtherTools;
}

/** The plan when upstream has lost the state; undefined after other failures. */
function planWithout({ plan, error }: FailedRun, turn: Turn): ColdPlan | undefined {
  const continuity = stateLost[error.code];
  if (continuity === undefined || (plan.kind !== "results" && plan.kind !== "resume")) return undefined;
  const { conversation } = plan;
  return { kind: "cold", continuity, conversation, messages: turn.messages, priorCalls: priorCallsOf(plan, turn) };
}

/**
 * The plan when a run that was started with only results has answered nothing: the same, for words of the gateway to follow.
 * Undefined if the run had words of the user, or waited for the results in a state that takes no words.
 */
function planInWords(plan: RunPlan, turn: Turn): ResumePlan | ColdPlan | undefined {
  if (plan.kind === "results" || turn.messages.at(-1)?.role !== "tool") return undefined;
  const isWaiting = plan.kind === "resume" && plan.messages.length === 0;
  const from = isWaiting ? plan.beforeCalls : plan;
  if (from === undefined) return undefined;
  return { ...plan, ...from, priorCalls: recordedCalls(turn, []) };
}

/** The plan when a resumed model turns out not to have the new tools: a new conversation, with the whole transcript. */
function planAnew(plan: RunPlan, turn: Turn, id: string): ColdPlan {
  const { messages } = turn;
  const conversation = { ...plan.conversation, id, knownReminders: knownIn(messages) };
  const priorCalls = recordedCalls(turn, []);
  return { kind: "cold", continuity: "cold:settings-changed", conversation, messages, priorCalls };
}

function priorCallsOf(plan: RunPlan, turn: Turn): ColdPlan["priorCalls"] {
  return plan.kind === "results" ? recordedCalls(turn, []) : plan.priorCalls;
}

function choiceIgnored(): GatewayError {
  return new GatewayError(
    "tool_call_missing",
    "The request requires a tool call, and the model answered without one. Try again, or use tool_choice auto.",
  );
}

export function formatNotMet(fault: string): GatewayError {
  const text = "The model's answer does not fit the format that the request asks for";
  return new GatewayError("format_not_met", `${text}: ${fault}. Try again, ask more plainly, or simplify the schema.`);
}
