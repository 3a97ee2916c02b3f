import { yieldToOthers } from "../clock.js";
import type { Message } from "../turn/turn.js";

/** From here on, reading a conversation, finding its place and telling it upstream take many milliseconds each. */
const LONG_CONVERSATION = 1_000;

/** Between two of these: all others have their turn when the conversation is a long one. */
export async function yieldIfLong(messages: readonly Message[]): Promise<void> {
  if (messages.length > LONG_CONVERSATION) await yieldToOthers();
}
