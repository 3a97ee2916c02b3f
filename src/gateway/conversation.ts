import type { FoundCheckpoint } from "../sessions/checkpoints.js";
import type { Known } from "../sessions/known.js";
import type { KnownReminders } from "../sessions/reminders.js";

/** The id and keys under which a reply stores its state for the next request. */
export interface Conversation {
  readonly id: string;
  /** The id that it had before, if it got another one for this run. */
  readonly formerId?: string;
  /** The backend and the settings of the request, as its keys begin. */
  readonly settings: string;
  /** The key of all messages, whatever the settings. */
  readonly bareKey: string;
  /** The reminders that the model knows once this request is sent. */
  readonly knownReminders: KnownReminders;
}

/**
 * The conversation of a checkpoint. It gets another id when a run of it may have ended with a call that nobody answered: Cursor
 * refuses such ids now and then (docs/decisions/0029-an-id-is-left-with-its-calls.md). The state is the same under any id.
 */
export function resumedConversation(known: Known, found: FoundCheckpoint): Conversation {
  const { conversationId: formerId, wasLeft } = found;
  if (!wasLeft && !known.isWaiting(formerId)) return conversationOf(known, found);
  return { ...conversationOf(known, { ...found, conversationId: known.newId }), formerId };
}

export function conversationOf(
  { settings, bareKeys }: Known,
  { conversationId, knownReminders }: { readonly conversationId: string; readonly knownReminders: KnownReminders },
): Conversation {
  return { id: conversationId, settings, bareKey: bareKeys.at(-1) ?? "", knownReminders };
}
