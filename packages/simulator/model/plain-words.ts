import type { JsonObject } from "@bufbuild/protobuf";
import { scanJsonObject } from "./json-scan.js";
import { findTool, type Tool } from "./tools.js";

/** A sentence ends with its mark, or with its line. */
const SENTENCE_END = /(?<=[.!?])\s+|\n+/;
const DEMAND = /\b(?:must|required|require|answer|respond|reply|now|need)\b/i;
const CALLING = /\bcall(?:ing)?\b/i;
const REFRAINING = /\b(?:without|never|don't|do not|instead of|rather than)\b/i;
const ANY_TOOL = /\b(?:one|some|any) (?:or more )?of (?:the|your|these) (?:\w+ )?tools\b|\ba tool\b/i;

/**
 * The tool whose call the newest words demand, as a model would read them: a sentence that demands a call and names a tool in
 * quotation marks, or allows any. If any, it is the first tool not called yet in this conversation, or the last one when all were
 * called, so that a conversation with a client that has a tool for its final answer ends.
 */
export function findAskedCall(text: string, tools: readonly Tool[], called: ReadonlySet<string>): Tool | undefined {
  for (const sentence of text.split(SENTENCE_END)) {
    if (!CALLING.test(sentence) || !DEMAND.test(sentence) || REFRAINING.test(sentence)) continue;
    const named = quotedIn(sentence).map((name) => findTool(tools, name));
    const found = named.find((tool) => tool !== undefined);
    if (found !== undefined) return found;
    if (ANY_TOOL.test(sentence)) return tools.find(({ name }) => !called.has(name)) ?? tools.at(-1);
  }
  return undefined;
}

/** Longer texts are frames of clients, full of words that name tools. */
const MAX_PLAIN_CHARS = 300;
const NAMED_TOOL = /\b(?:use|call|and) (?:the ["'“`]?|["'“`])([\w-]+(?:\.[\w-]+)*)["'”`]? (?:tool|function)\b/gi;
const USING = /\b(?:use|call)\b/i;

/** Makes "use the weather tool" and "call the tool weather" work without brackets. */
export function findNamedTool(text: string): string | undefined {
  const match = /\buse the ([\w.-]+) tool\b|\bcall the tool ([\w-]+(?:\.[\w-]+)*)/i.exec(text);
  return match?.[1] ?? match?.[2];
}

/** The offered tools that a plain message asks for: "call the 'weather' tool and the 'time' tool". */
export function findNamedTools(text: string, tools: readonly Tool[]): Tool[] {
  return [
    ...new Set(
      plainSentences(text)
        .flatMap(toolNamesIn)
        .flatMap((name) => findTool(tools, name) ?? []),
    ),
  ];
}

/** The tool that a plain system prompt wants for every question. Under another name it means the only tool that there is. */
export function findStandingDemand(text: string, given: readonly string[], tools: readonly Tool[]): Tool | undefined {
  if (!SHORT_QUESTION.test(text.trim())) return undefined;
  const [name] = given
    .flatMap(plainSentences)
    .filter((sentence) => /\b(?:always|must)\b/i.test(sentence))
    .flatMap(toolNamesIn);
  if (name === undefined) return undefined;
  return findTool(tools, name) ?? (tools.length === 1 ? tools[0] : undefined);
}

function plainSentences(text: string): string[] {
  const sentences = text.length > MAX_PLAIN_CHARS ? [] : text.split(SENTENCE_END);
  return sentences.filter((sentence) => USING.test(sentence) && !REFRAINING.test(sentence));
}

function toolNamesIn(sentence: string): string[] {
  return [...sentence.matchAll(NAMED_TOOL)].map(([, name = ""]) => name);
}

const SHORT_QUESTION = /^[^.!?\n]{1,100}\?$/;
const LONG_WORD = /\p{L}{5,}/gu;

/** The tool that a message of one short question is about: it alone has a word of it in its name, as get_weather has "weather". */
export function findFittingTool(text: string, tools: readonly Tool[]): Tool | undefined {
  const question = text.trim();
  const words = SHORT_QUESTION.test(question) ? wordsOf(question) : new Set<string>();
  const [fitting, ...others] = tools.filter(({ name }) => [...wordsOf(name)].some((word) => words.has(word)));
  return others.length === 0 ? fitting : undefined;
}

function wordsOf(text: string): Set<string> {
  const spaced = text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");
  return new Set(spaced.toLowerCase().match(LONG_WORD));
}

/** The tool whose description the user asks for: "the description of the tool weather". */
export function findAskedDescription(text: string, tools: readonly Tool[]): Tool | undefined {
  const name = /\bdescription of (?:the |your )?tool ["“`]?([\w-]+(?:\.[\w-]+)*)/i.exec(text)?.[1];
  return name === undefined ? undefined : findTool(tools, name);
}

function quotedIn(sentence: string): string[] {
  return [...sentence.matchAll(/["“`]([^"“”`]+)["”`]/g)].map(([, name = ""]) => name);
}

/**
 * The JSON schema that an answer must fit: the first object after the words "JSON schema" that looks like one. Where the newest
 * words, which come first here, only ask for "one JSON object and nothing else", any object will do.
 */
export function findAskedSchema(texts: readonly string[]): JsonObject | undefined {
  for (const text of texts) {
    for (const { index } of text.matchAll(/json[\s_-]?schema/gi)) {
      const schema = firstSchema(text, index);
      if (schema !== undefined) return schema;
    }
  }
  return /\bone json object and nothing else\b/i.test(texts[0] ?? "") ? { type: "object" } : undefined;
}

function firstSchema(text: string, from: number): JsonObject | undefined {
  const start = text.indexOf("{", from);
  if (start === -1) return undefined;
  const object = scanJsonObject(text, start)?.value;
  if (object === undefined) return undefined;
  if (looksLikeSchema(object)) return object;
  // Response formats wrap the schema: {"name": ..., "schema": {...}}.
  const { schema } = object;
  const isInner = typeof schema === "object" && schema !== null && !Array.isArray(schema) && looksLikeSchema(schema);
  return isInner ? schema : undefined;
}

function looksLikeSchema(object: JsonObject): boolean {
  return ["type", "properties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"].some((key) => key in object);
}
