import { joinText } from "../../turn/blocks.js";
import { isObject } from "../../turn/read-json.js";
import type { Turn } from "../../turn/turn.js";
import { splitReminders } from "../sessions/reminders.js";

/** Title prompts with their rules and examples are about half as long. The prompts of agents have several times this length. */
const MAX_SYSTEM_CHARACTERS = 6_000;
/** A prompt that is about titles says so in its first words. */
const MAX_OPENING_CHARACTERS = 300;

const verbs = new Set(["generate", "write", "create", "produce", "output", "give", "choose", "return"]);
/** Between the verb and the title, these words name another object: "write a reply and a title". */
const breaks = new Set(["and", "or", "with", "for", "of", "about", "in", "to", "from", "as", ","]);
/** After the title, these words add another object: "a title, a summary", "a title and tags". "Nothing else" adds none. */
const adds = new Set(["and", "or", "plus", "with", "followed", ","]);
const otherTitles = new Set(["page", "pages", "bar", "tag", "case", "screen", "track"]);
const conversations = new Set(["conversation", "thread", "chat", "session"]);
const determiners = new Set([
  ...["a", "an", "the", "this", "that", "our", "your", "their"],
  ...["current", "new", "ongoing", "following", "whole", "coding", "chat"],
]);

/** The title must be that of a conversation. Titles of products, articles and conference sessions are real work for the model. */
const OF_CONVERSATION =
  /\b(?:a|the|this|that|our|your|their|current|new|ongoing|chat)\s+(?:conversation|thread|chat|session)\b/i;
const TERSE = /\b(?:only|just|nothing else|short|brief|concise|characters|words)\b/i;
/** Words for a title that is requested only sometimes, or among other things. */
const OCCASIONAL = /\b(?:when|whenever|if|also|each|every|tools?|then|afterwards|finally|additionally|besides)\b/i;
/** Verbs of conversation and other work. In title prompts, sentences with them forbid the work or speak of the title. */
const OTHER_WORK =
  /\b(?:answer|reply|respond|assist|help)\b|^[^a-z]*(?:summari[sz]e|explain|translate|classify|extract|rewrite)\b/i;
const ABOUT_TITLE = /\b(?:titles?|only|just|never|not|without|nothing|no|cannot)\b|n't\b/i;
/** The cheap call answers in plain words, so a client that wants structure needs the model. File names (`a.json`) do not count. */
const STRUCTURED_OUTPUT = /(?<![.\w])(?:json|xml|yaml|schema|isNewTopic)\b|"title"/i;

/** Requests that are known word by word, with the words to name in them. */
const known = [
  // Codex asks beneath its usual prompt, after a message about the environment.
  { prompt: "", said: /^Generate a concise, single-line task title [^\n]*\n+User prompt:\n(.*)$/s, isJson: true },
  // Continue sends the model's first answer.
  {
    prompt: "",
    said: /^Given the following\.\.\. please reply with a title for the chat [^\n]*\n\n(.*)$/s,
    isJson: false,
  },
  { prompt: "You are naming a coding session", said: /^<session>\n(.*)\n<\/session>/s, isJson: true }, // Claude Code
];

/** The user's words, when a client only wants a name for them. Undefined in doubt: then the model answers as usual. */
export function wordsToName({ system, messages, tools, format }: Turn): string | undefined {
  if (format !== undefined && titleIn(format) === undefined) return undefined;
  // The messages are the words to name, with or without an introduction; never an ongoing conversation.
  if (messages.length > 2) return undefined;
  const texts: string[] = [];
  for (const message of messages) {
    if (message.role !== "user" || message.content.some(({ type }) => type !== "text")) return undefined;
    texts.push(joinText(message.content));
  }
  const newest = texts.at(-1) ?? "";
  for (const { prompt, said, isJson } of known) {
    const [, words] = (isJson === (format !== undefined) && system.startsWith(prompt) && said.exec(newest)) || [];
    if (words !== undefined) return wordsIn([words]);
  }
  if (tools.length > 0 || format !== undefined || !asksForTitle(system)) return undefined;
  return wordsIn(texts.length === 2 && isIntroduction(texts[0] ?? "") ? [newest] : texts);
}

/** Whether a message only introduces the words, such as "Generate a title for this conversation:". */
function isIntroduction(text: string): boolean {
  const line = text.trim();
  return line.length <= MAX_OPENING_CHARACTERS && line.endsWith(":") && /\b(?:title|name|conversation)\b/i.test(line);
}

function wordsIn(texts: readonly string[]): string {
  return texts.map((text) => splitReminders(text).words.trim()).join("\n\n");
}

/** A title as the client wants it: alone, or in JSON. */
export function formatTitle(title: string, { format }: Pick<Turn, "format">): string {
  if (format === undefined) return title;
  const { maxLength } = titleIn(format) ?? {};
  if (typeof maxLength !== "number" || title.length <= maxLength) return JSON.stringify({ title });
  const end = title.lastIndexOf(" ", maxLength);
  return JSON.stringify({ title: title.slice(0, end > 0 ? end : maxLength) });
}

/** The schema of the title, when a format has nothing else. */
function titleIn(format: NonNullable<Turn["format"]>): Record<string, unknown> | undefined {
  const properties = format.type === "json-schema" ? format.schema.properties : undefined;
  if (!isObject(properties) || Object.keys(properties).length !== 1) return undefined;
  return isObject(properties.title) && properties.title.type === "string" ? properties.title : undefined;
}

function asksForTitle(system: string): boolean {
  if (system.length > MAX_SYSTEM_CHARACTERS || STRUCTURED_OUTPUT.test(system)) return false;
  const opening = system.trimStart().slice(0, MAX_OPENING_CHARACTERS);
  if (!/title/i.test(opening)) return false;
  const asks = sentencesOf(opening).findIndex(isTask);
  const before = sentencesOf(opening).slice(0, asks + 1);
  if (asks < 0 || OCCASIONAL.test(before.at(-1) ?? "")) return false;
  // Only sentences that give the model a role may come before the task.
  if (!before.slice(0, -1).every((sentence) => /^\s*you(?:'re| are)\b/i.test(sentence))) return false;
  if (!OF_CONVERSATION.test(opening) || !TERSE.test(opening)) return false;
  return sentencesOf(system).every((sentence) => !OTHER_WORK.test(sentence) || ABOUT_TITLE.test(sentence));
}

function sentencesOf(text: string): string[] {
  return text.split(/[.!?;\n]/).filter((sentence) => sentence.trim() !== "");
}

/** Whether the sentence asks for a title and nothing else, such as "Write a short title". */
function isTask(sentence: string): boolean {
  const words = sentence.toLowerCase().match(/[a-z'-]+|,/g) ?? [];
  return words.some((word, at) => {
    if (word !== "title") return false;
    const [next = "", afterNext = ""] = words.slice(at + 1);
    if (next === "generator") return true;
    const verb = words.slice(0, at).findLastIndex((each) => verbs.has(each));
    if (verb < 0 || words.slice(verb, at).some((each) => breaks.has(each))) return false;
    if (otherTitles.has(next) || (adds.has(next) && afterNext !== "nothing" && afterNext !== "no")) return false;
    if (next !== "for" && next !== "of" && next !== "about") return true;
    const what = words.slice(at + 2).find((each) => !determiners.has(each) || conversations.has(each));
    return what !== undefined && conversations.has(what);
  });
}
