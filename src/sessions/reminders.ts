import { hash } from "node:crypto";
import { z } from "zod";
import { joinText } from "../turn/blocks.js";
import type { Message } from "../turn/turn.js";

/**
 * What clients put beside the user's words: the date, the files of the project, instructions. Some write it anew whenever they
 * start, into messages of long ago. That makes no other conversation; what the model was not told yet goes with the next words.
 */
const OPENING = "<system-reminder>";
const CLOSING = "</system-reminder>";
/** So many fit into the memo of a checkpoint. Where there are more, what is new among the old ones goes unnoticed. */
const MAX_KNOWN_REMINDERS = 3_000;

/** The reminders that the model knows of, by hash. */
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

/** What is known once all of this was told. */
export function knownIn(messages: readonly Message[]): KnownReminders {
  return new Set(remindersIn(messages).map(tag));
}

/** What is left to say after the first `at` messages, with the reminders among those that were never told. */
export function tellRest(
  messages: readonly Message[],
  at: number,
  knownReminders: KnownReminders,
): { rest: readonly Message[]; knownReminders: KnownReminders } {
  const rest = messages.slice(at);
  const all = new Set([...knownReminders, ...knownIn(messages)]);
  const untold = remindersIn(messages.slice(0, at)).filter((reminder) => !knownReminders.has(tag(reminder)));
  if (untold.length === 0 || knownReminders.size >= MAX_KNOWN_REMINDERS) return { rest, knownReminders: all };
  const content = [{ type: "text" as const, text: `${untold.join("\n")}\n` }];
  const [first, ...others] = rest;
  if (first?.role !== "user") return { rest: [{ role: "user", content }, ...rest], knownReminders: all };
  return { rest: [{ ...first, content: [...content, ...first.content] }, ...others], knownReminders: all };
}

/** Memos of earlier versions say `told`. */
const Memo = z.object({ knownReminders: z.array(z.string()).optional(), told: z.array(z.string()).optional() });

export function readKnownReminders(memo: string): KnownReminders {
  if (memo === "") return new Set();
  const { knownReminders, told } = Memo.parse(JSON.parse(memo));
  return new Set(knownReminders ?? told);
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

/** 72 bits: two reminders of one conversation will not meet. */
function tag(reminder: string): string {
  return hash("sha256", reminder, "base64url").slice(0, 12);
}
