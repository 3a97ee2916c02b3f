import type { Turn } from "../turn/turn.js";

/** Title prompts with their rules and examples are about half as long; prompts of agents begin at several times this. */
const maxSystem = 6_000;
/** A prompt that is about titles says so in its first words. */
const maxOpening = 300;

const task =
  /\b(?:title generator|(?:generate|write|create|produce|output|give|choose|return)\b[^.\n]{0,80}\btitle\b)/i;
/** Titles of products, articles and pull requests are real work and not for a call that names conversations. */
const isOfConversation = /\b(?:conversation|thread|chat|session)\b/i;
const isTerse = /\b(?:only|just|nothing else|short|brief|concise|characters|words)\b/i;
/** A title that is wanted now and then, or among other things. */
const isOccasional = /\b(?:when|whenever|if|also|each|every|tools?)\b/i;
/** The short call answers with bare words: who wants to parse them needs the model. Names of files are mere examples. */
const wantsStructure = /(?<![.\w])(?:json|xml|yaml|schema|isNewTopic)\b|"title"/i;

/** Whether a client only wants a name for a conversation. In doubt it does not: the model then answers as usual. */
export function isTitleRequest({ system, messages, tools }: Turn): boolean {
  if (tools.length > 0 || system.length > maxSystem || wantsStructure.test(system)) return false;
  const opening = system.trimStart().slice(0, maxOpening);
  const sentence = firstSentenceWith(task, opening);
  if (sentence === undefined || isOccasional.test(sentence)) return false;
  if (!isOfConversation.test(opening) || !isTerse.test(opening)) return false;
  // The words to be named, with or without an introduction; never a conversation that is going on.
  return messages.length <= 2 && messages.every((message) => message.role === "user" && isText(message.content));
}

function firstSentenceWith(pattern: RegExp, text: string): string | undefined {
  return text.split(/[.\n]/).find((sentence) => pattern.test(sentence));
}

function isText(content: readonly { type: string }[]): boolean {
  return content.every(({ type }) => type === "text");
}
