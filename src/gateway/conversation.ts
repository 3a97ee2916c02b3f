import type { Known } from "../sessions/known.js";
import type { KnownReminders } from "../sessions/reminders.js";

/** The id and keys under which a reply stores its state for the next request. */
export interface Conversation {
  readonly id: string;
  /** The backend and the settings of the request, as its keys begin. */
  readonly settings: string;
  /** The key of all messages, whatever the settings. */
  readonly bareKey: string;
  /** The reminders that the model knows once this request is sent. */
  readonly knownReminders: KnownReminders;
}

export function conversationOf(
  { settings, bareKeys }: Known,
  { conversationId, knownReminders }: { readonly conversationId: string; readonly knownReminders: KnownReminders },
): Conversation {
  return { id: conversationId, settings, bareKey: bareKeys.at(-1) ?? "", knownReminders };
}
