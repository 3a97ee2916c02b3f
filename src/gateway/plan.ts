import type { RecordedCall, Resumption } from "../backends/backend.js";
import { answeredIn, type FoundCheckpoint, missingCalls, recordedCalls } from "../sessions/checkpoints.js";
import { promptTags } from "../sessions/fingerprint.js";
import type { Known } from "../sessions/known.js";
import type { CallOrigin } from "../sessions/made-calls.js";
import type { ParkedRun } from "../sessions/parking.js";
import { type KnownReminders, knownIn } from "../sessions/reminders.js";
import type { CallBlock, InputBlock } from "../turn/blocks.js";
import type { ErrorCode } from "../turn/error.js";
import { estimatedInput } from "../turn/estimate.js";
import type { AssistantMessage, Message, Turn, UserMessage } from "../turn/turn.js";

/** What was special about a reply that resumed the state. */
type WarmNote =
  /** The user wrote something while the tools ran: the waiting run got it with the results. */
  | "steered"
  /** Another system prompt or other tools than before, in the same conversation. */
  | "settings-changed";

/** Why a reply did not resume the state that upstream had. */
type ColdReason =
  /** The first message of a conversation. */
  | "new"
  /** The run no longer waited for the results, or the session of the CLI or SDK was gone or had gone on; there was no state to resume from. */
  | "expired"
  /** The run was lost in a restart or a broken connection, and there was no state to resume from. */
  | "restarted"
  /** The history was edited; resumed from the last point before the edit, or from the start. */
  | "edited"
  /** Another request had already taken the run. */
  | "raced"
  /** A new message came instead of the results, and there was no state to resume from. */
  | "superseded"
  /** Results of calls that this gateway never made. */
  | "unknown-call"
  /** Cursor wanted content that is gone. */
  | "blob-missing"
  /** Another backend, or a system prompt or tools with which the state cannot be resumed: a new conversation for Cursor. */
  | "settings-changed";

/** The comments here and above are the table of `x-curlew-continuity` in the guide. */
type KeptState =
  /** Resumed on the open run, or from the state at exactly this point. */
  | "warm"
  /** The run was gone or given up; a new one resumed from its state, and nothing from before its last reply was sent again. */
  | "resumed";

/** Whether a reply resumed the state that upstream had, and if not, why. */
export type Continuity = KeptState | `warm:${WarmNote}` | `cold:${ColdReason}`;

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
  readonly continuity: "warm" | `warm:${WarmNote}`;
  readonly conversation: Conversation;
  readonly run: ParkedRun;
  /** What the user wrote while the tools ran. */
  readonly steering: Steering | undefined;
}

interface Steering {
  readonly words: readonly UserMessage[];
  /** The call whose result takes the words to the model. */
  readonly carrier: string;
}

/** No run waits for this turn, or the turn does not fit the run that waits. */
interface PlanWithoutRun {
  readonly continuity: Continuity;
  /** The run that the client has abandoned by this request. */
  readonly superseded: ParkedRun | undefined;
}

/** Sends the calls again whose results are missing. A run that waits goes on waiting: all results may still come. */
interface RepeatCallsPlan {
  readonly kind: "repeat-calls";
  readonly continuity: Continuity;
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
  /** For a state that waits for results: another from before their calls, to which a message of the user can be added. */
  readonly beforeCalls?: Resumption | undefined;
  /** Whether the state was made with other tools. It is not proven that the model gets the new ones (docs/protocol/wire.md). */
  readonly hasOtherTools: boolean;
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
  const conversation = conversationOf(
    known,
    found ?? { conversationId: known.newId, knownReminders: knownIn(messages) },
  );
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

/** What came before the newest words or results of the client. Results that came in pieces belong together. */
export function historyOf(messages: readonly Message[]): readonly Message[] {
  const newest = messages.findLast(({ role }) => role === "assistant");
  if (newest?.role !== "assistant") return [];
  const ids = new Set(callIdsIn(newest));
  const isMade = (message: Message) => message.role === "assistant" && callIdsIn(message).some((id) => ids.has(id));
  const end = ids.size > 0 ? messages.findIndex(isMade) : messages.lastIndexOf(newest);
  return messages.slice(0, end + 1);
}

function callIdsIn({ content }: AssistantMessage): readonly string[] {
  return content.flatMap((block) => (block.type === "call" ? [block.id] : []));
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

/**
 * The plan to hand results to the run that waits; undefined when the turn does not fit it. The run takes nothing but results, so
 * words of the user go inside the last of them. While results are missing the words wait in the client's transcript.
 */
function planResults({ messages, tools }: Turn, run: ParkedRun, known: Known): ResultsPlan | undefined {
  let parkedAt = known.keys.findIndex((key) => run.keys.has(key));
  const hasChanged = parkedAt < 0;
  // Another system prompt goes with the next run. A run that waits needs the tools that the client has now.
  if (hasChanged && tools === run.tools) parkedAt = known.bareKeys.findIndex((key) => run.bareKeys.has(key));
  if (parkedAt < 0) return undefined;
  const brought = messages.slice(parkedAt);
  const words = brought
    .filter((message) => message.role === "user")
    .filter(({ content }) => content.some(saysAnything));
  const answered = answeredIn(messages);
  if (words.length > 0 && [...run.seenCalls].every((id) => answered.has(id))) {
    const carrier = repeatsOnly(brought, run) ? carrierOf(words, brought, run) : undefined;
    return carrier === undefined ? undefined : resultsPlan(known, run, hasChanged, { words, carrier });
  }
  const isForRun = messages.at(-1)?.role === "tool" || (repeatsOnly(brought, run) && hasNoOpenCall(messages, answered));
  return isForRun ? resultsPlan(known, run, hasChanged, undefined) : undefined;
}

function resultsPlan(known: Known, run: ParkedRun, hasChanged: boolean, steering: Steering | undefined): ResultsPlan {
  const { conversationId } = run;
  const knownReminders = steering ? new Set([...run.knownReminders, ...knownIn(steering.words)]) : run.knownReminders;
  const conversation = conversationOf(known, { conversationId, knownReminders });
  const unsteered = hasChanged ? "warm:settings-changed" : "warm";
  return { kind: "results", continuity: steering ? "warm:steered" : unsteered, conversation, run, steering };
}

/** Whether the client has answered all calls that it was sent. Others may have been held back for it. */
function hasNoOpenCall(messages: readonly Message[], answered: ReadonlySet<string>): boolean {
  const newest = messages.findLast(({ role }) => role === "assistant");
  return (
    newest?.role === "assistant" && newest.content.every((block) => block.type !== "call" || answered.has(block.id))
  );
}

/** Whether the model's messages among these are only calls that were sent again while their results were missing. */
function repeatsOnly(messages: readonly Message[], { seenCalls }: ParkedRun): boolean {
  return messages.every(
    (message) =>
      message.role !== "assistant" ||
      message.content.every((block) => block.type === "call" && seenCalls.has(block.id)),
  );
}

/**
 * The last call whose result can take these words. Results are read in the order of their calls, whatever the order in which
 * they come, so the words are read last.
 */
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

function isReadAsText({ type }: InputBlock): boolean {
  return type !== "image" && type !== "remote-image";
}

function conversationOf(
  { keys, bareKeys }: Known,
  { conversationId, knownReminders }: { readonly conversationId: string; readonly knownReminders: KnownReminders },
): Conversation {
  return { id: conversationId, key: keys.at(-1) ?? "", bareKey: bareKeys.at(-1) ?? "", knownReminders };
}

/**
 * A checkpoint that was made under other settings; undefined where one was made under these at the same position. A model that
 * waits for results must still have the tools that it has called.
 */
function underOtherSettings({ tools }: Turn, known: Known): FoundCheckpoint | undefined {
  if (known.search.found?.isExact === true) return undefined;
  const found = known.foundUnderOtherSettings;
  const names = new Set(tools.map(({ name }) => name));
  return found?.phase === "staged" && !found.calls.every(({ name }) => names.has(name)) ? undefined : found;
}

function hasOtherTools({ system, tools }: Turn, { parked, seenUnder }: Known): boolean {
  return (parked?.madeUnder ?? seenUnder)?.tools !== promptTags(system, tools).tools;
}

/** The greater, the less is sent again. */
function reachOf(found: FoundCheckpoint | undefined): number {
  if (found === undefined) return 0;
  return 1 + Number(found.isNewest) + Number(found.isExact);
}

/** The continuity of a turn that starts a run from this checkpoint, which may have been made under other settings. */
function continuityOf(
  messages: readonly Message[],
  known: Known,
  found: FoundCheckpoint | undefined,
  isOther: boolean,
): Continuity {
  const { parked } = known;
  const isKept = found?.isExact === true || (found?.isNewest === true && isOwnReply(found, known));
  const bringsResults = messages.at(-1)?.role === "tool";
  if (found?.isExact === true && found.phase === "settled") return isOther ? "warm:settings-changed" : "warm";
  if (isKept && isOther && (parked !== undefined || !bringsResults)) return "warm:settings-changed";
  if (parked !== undefined) return isKept ? "resumed" : `cold:${differenceFrom(parked, known) ?? "superseded"}`;
  if (bringsResults) {
    const reason = lostRun(known);
    // A run that another request has taken is not gone.
    return isKept && reason !== "raced" ? "resumed" : `cold:${reason}`;
  }
  if (isKept) return "resumed";
  if (known.search.hasAny || known.hasEmptyReply) return "cold:edited";
  return known.wasSeen || isOther ? "cold:settings-changed" : "cold:new";
}

/** Whether the reply that is sent again was made here, as far as its calls can show. */
function isOwnReply({ from }: FoundCheckpoint, known: Known): boolean {
  const [reply] = from.messages;
  if (reply?.role !== "assistant" || !reply.content.some(({ type }) => type === "call")) return true;
  const origin = known.parked ?? known.origin;
  return origin !== undefined && differenceFrom(origin, known) !== "edited";
}

function lostRun(known: Known): ColdReason {
  const { fate } = known;
  if (fate !== undefined) return fate === "lost" ? "restarted" : fate;
  const { origin } = known;
  return origin === undefined ? "unknown-call" : (differenceFrom(origin, known) ?? "restarted");
}

/** How a request differs from the one whose reply made the calls; undefined when it goes on from there. */
function differenceFrom(origin: CallOrigin, { keys, bareKeys }: Known): "settings-changed" | "edited" | undefined {
  if (keys.some((key) => origin.keys.has(key))) return undefined;
  return bareKeys.some((key) => origin.bareKeys.has(key)) ? "settings-changed" : "edited";
}
