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
const MAX_TOLD = 3_000;

/** The reminders that the model knows of, by hash. */
export type Told = ReadonlySet<string>;

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
export function toldBy(messages: readonly Message[]): Told {
  return new Set(remindersIn(messages).map(tag));
}

/** What is left to say after the first `at` messages, with the reminders among those that were never told. */
export function tellRest(
  messages: readonly Message[],
  at: number,
  told: Told,
): { rest: readonly Message[]; told: Told } {
  const rest = messages.slice(at);
  const all = new Set([...told, ...toldBy(messages)]);
  const untold = remindersIn(messages.slice(0, at)).filter((reminder) => !told.has(tag(reminder)));
  if (untold.length === 0 || told.size >= MAX_TOLD) return { rest, told: all };
  const content = [{ type: "text" as const, text: `${untold.join("\n")}\n` }];
  const [first, ...others] = rest;
  if (first?.role !== "user") return { rest: [{ role: "user", content }, ...rest], told: all };
  return { rest: [{ ...first, content: [...content, ...first.content] }, ...others], told: all };
}

const Memo = z.object({ told: z.array(z.string()).default([]) });

export function readTold(memo: string): Told {
  return new Set(memo === "" ? [] : Memo.parse(JSON.parse(memo)).told);
}

export function writeTold(told: Told): string {
  return told.size === 0 ? "" : JSON.stringify({ told: [...told].slice(0, MAX_TOLD) });
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
