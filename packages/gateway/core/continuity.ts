import type { Message } from "../turn/turn.js";
import type { FoundCheckpoint } from "./sessions/checkpoints.js";
import type { Known } from "./sessions/known.js";
import type { CallOrigin } from "./sessions/positions.js";
import type { KnownReminders } from "./sessions/reminders.js";

/** The id and keys under which a reply stores its state for the next request. */
export interface Conversation {
  readonly id: string;
  /** The id that it had before, if it got another one for this run. */
  readonly formerId?: string;
  readonly lineage: string;
  /** The backend and the settings of the request: the prefix of its keys. */
  readonly settings: string;
  /** The key of all messages, without the settings. */
  readonly bareKey: string;
  readonly firstKey: string;
  readonly knownReminders: KnownReminders;
}

/**
 * The conversation of a checkpoint. It gets a new id when one of its runs may have ended with an unanswered call: Cursor
 * refuses such ids now and then (docs/decisions/0004-checkpoints-whenever-they-come.md). The state is the same under any id.
 */
export function resumedConversation(known: Known, found: FoundCheckpoint): Conversation {
  if (!known.isLeft(found)) return conversationOf(known, found);
  return { ...conversationOf(known, { ...found, conversationId: known.newId }), formerId: found.conversationId };
}

export function conversationOf(
  { settings, bareKeys }: Known,
  { conversationId, lineage, knownReminders }: Pick<FoundCheckpoint, "conversationId" | "lineage" | "knownReminders">,
): Conversation {
  const keys = { bareKey: bareKeys.at(-1) ?? "", firstKey: bareKeys[1] ?? "" };
  return { id: conversationId, lineage, settings, ...keys, knownReminders };
}

/** What was special about a reply that resumed the state. */
export type WarmNote =
  /** The user wrote something while the tools ran: the waiting run got it with the results. */
  | "steered"
  /** Another system prompt or other tools than before, in the same conversation. */
  | "settings-changed";

type ColdReason =
  /** The first message of a conversation, or one that this gateway does not know, as once after an upgrade that changes the storage. */
  | "new"
  /** The run no longer waited for the results, or the CLI or SDK session was gone or had moved on; there was no state to resume from. */
  | "expired"
  /** The run was lost in a restart or a broken connection, and there was no state to resume from. */
  | "restarted"
  /** The history was edited; resumed from the last point before the edit, or from the start. */
  | "edited"
  /** Another request has taken the run, and is being answered. */
  | "raced"
  /** A new message came instead of the results, and there was no state to resume from. */
  | "superseded"
  /** Results of calls that this gateway never made. */
  | "unknown-call"
  /** Cursor asked for content that is gone. */
  | "blob-missing"
  /** Another backend, or a system prompt or tools with which the state cannot be resumed: a new conversation for Cursor. */
  | "settings-changed";

/** The comments here and above are the table of `x-curlew-continuity` in the guide. */
type KeptState =
  /** Resumed on the open run, or from the state at exactly this point. */
  | "warm"
  /** The run was gone or given up; a new one resumed from its state, under a new id where a call was left unanswered: Cursor may then ask for the conversation again. */
  | "resumed";

/** Whether a reply resumed the state that upstream had, and if not, why. */
export type Continuity = KeptState | `warm:${WarmNote}` | `cold:${ColdReason}`;

export function continuityOf(
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
    // A run that another request has claimed is not gone.
    return isKept && reason !== "raced" ? "resumed" : `cold:${reason}`;
  }
  if (isKept) return "resumed";
  if (known.search.hasAny || known.hasEmptyReply) return "cold:edited";
  return known.seenUnder !== undefined || isOther ? "cold:settings-changed" : "cold:new";
}

/** Whether the reply that is sent again was made here, judging by its calls. */
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

/** How a request differs from the one whose reply made the calls; undefined when it continues from there. */
function differenceFrom(origin: CallOrigin, known: Known): "settings-changed" | "edited" | undefined {
  if (known.countAt(origin) >= 0) return undefined;
  return known.bareKeys.some((key) => origin.bareKeys.has(key)) ? "settings-changed" : "edited";
}
