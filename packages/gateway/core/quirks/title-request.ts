import type { Turn } from "../../turn/turn.js";

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

/** Whether a client only wants a name for a conversation. In doubt the result is false, and the model answers as usual. */
export function isTitleRequest({ system, messages, tools }: Turn): boolean {
  if (tools.length > 0 || system.length > MAX_SYSTEM_CHARACTERS || STRUCTURED_OUTPUT.test(system)) return false;
  const opening = system.trimStart().slice(0, MAX_OPENING_CHARACTERS);
  if (!/title/i.test(opening)) return false;
  const asks = sentencesOf(opening).findIndex(isTask);
  const before = sentencesOf(opening).slice(0, asks + 1);
  if (asks < 0 || OCCASIONAL.test(before.at(-1) ?? "")) return false;
  // Only sentences that give the model a role may come before the task.
  if (!before.slice(0, -1).every((sentence) => /^\s*you(?:'re| are)\b/i.test(sentence))) return false;
  if (!OF_CONVERSATION.test(opening) || !TERSE.test(opening)) return false;
  if (sentencesOf(system).some((sentence) => OTHER_WORK.test(sentence) && !ABOUT_TITLE.test(sentence))) return false;
  // The messages are the words to name, with or without an introduction; never an ongoing conversation.
  const isText = ({ type }: { type: string }) => type === "text";
  return messages.length <= 2 && messages.every((message) => message.role === "user" && message.content.every(isText));
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
