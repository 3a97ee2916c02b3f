import { hash } from "node:crypto";
import { z } from "zod";
import { joinText } from "../../turn/blocks.js";
import type { Message } from "../../turn/turn.js";

/**
 * Clients wrap what they add to the user's words in these tags: the date, files, instructions. Some rewrite them in old messages
 * whenever they start. That is the same conversation; reminders that the model has not seen go with the next message.
 */
const OPENING = "<system-reminder>";
const CLOSING = "</system-reminder>";
/** How many fit into the memo of a checkpoint. Beyond that, new reminders in old messages go unnoticed. */
const MAX_KNOWN_REMINDERS = 3_000;

export type KnownReminders = ReadonlySet<string>;

export function splitReminders(text: string): { words: string; reminders: readonly string[] } {
  const reminders: string[] = [];
  let words = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(OPENING, at);
    const end = start < 0 ? -1 : text.indexOf(CLOSING, start);
    if (end < 0) return { words: words + text.slice(at), reminders };
    words += text.slice(at, start);
    at = end + CLOSING.length;
    reminders.push(text.slice(start, at));
  }
}

export function knownIn(messages: readonly Message[]): KnownReminders {
  return new Set(remindersIn(messages).map(tag));
}

/** The messages after the first `at`, preceded by reminders of those first messages that were never sent. */
export function remainingMessages(
  messages: readonly Message[],
  at: number,
  knownReminders: KnownReminders,
): { rest: readonly Message[]; knownReminders: KnownReminders } {
  const rest = messages.slice(at);
  const all = new Set([...knownReminders, ...knownIn(rest)]);
  const unsent: string[] = [];
  for (const reminder of remindersIn(messages.slice(0, at))) {
    const tagged = tag(reminder);
    if (!knownReminders.has(tagged)) unsent.push(reminder);
    all.add(tagged);
  }
  if (unsent.length === 0 || knownReminders.size >= MAX_KNOWN_REMINDERS) return { rest, knownReminders: all };
  const content = [{ type: "text" as const, text: `${unsent.join("\n")}\n` }];
  const [first, ...others] = rest;
  if (first?.role !== "user") return { rest: [{ role: "user", content }, ...rest], knownReminders: all };
  return { rest: [{ ...first, content: [...content, ...first.content] }, ...others], knownReminders: all };
}

const Memo = z.object({ knownReminders: z.array(z.string()) });

/** @throws SyntaxError or ZodError when the memo is not one that `writeKnownReminders` made */
export function readKnownReminders(memo: string): KnownReminders {
  if (memo === "") return new Set();
  return new Set(Memo.parse(JSON.parse(memo)).knownReminders);
}

export function writeKnownReminders(knownReminders: KnownReminders): string {
  return knownReminders.size === 0
    ? ""
    : JSON.stringify({ knownReminders: [...knownReminders].slice(0, MAX_KNOWN_REMINDERS) });
}

function remindersIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "user" ? splitReminders(joinText(message.content)).reminders : [],
  );
}

/** 72 bits are enough to distinguish the reminders of one conversation. */
function tag(reminder: string): string {
  return hash("sha256", reminder, "base64url").slice(0, 12);
}
