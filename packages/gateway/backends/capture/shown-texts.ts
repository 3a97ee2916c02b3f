import { createRegistry } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { file_agent_v1 } from "@curlew/wire/gen/agent_v1_pb.js";
import { ErrorDetails_Error, ErrorDetailsSchema, file_aiserver_v1 } from "@curlew/wire/gen/aiserver_v1_pb.js";

export interface Segment {
  readonly text: string;
  readonly isShown: boolean;
}

export interface ShownLists {
  /** Texts that are shown where they stand alone. */
  readonly texts?: Iterable<string>;
  /** Texts whose words are shown wherever they stand. */
  readonly prompts?: Iterable<string>;
}

const WORDS = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu;
const IS_WORD = /^[\p{L}\p{N}_]/u;
/** Single letters say nothing, and the fill of a replay may happen to be one. */
const MIN_WORD_CHARS = 2;

/** The closed lists of what a capture may show. A text with a listed word shows its listed words and what stands between words. */
export class ShownTexts {
  readonly #texts: ReadonlySet<string>;
  readonly #words = new Set<string>();

  constructor({ texts = [], prompts = [] }: ShownLists) {
    this.#texts = new Set(texts);
    for (const prompt of prompts) {
      for (const word of prompt.match(WORDS) ?? []) {
        if (IS_WORD.test(word) && word.length >= MIN_WORD_CHARS) this.#words.add(word.toLowerCase());
      }
    }
  }

  isShown(text: string): boolean {
    return this.#texts.has(text);
  }

  segments(text: string): Segment[] {
    return this.segmentsOfAll([text])[0] ?? [];
  }

  /** The same for texts that continue each other, such as the deltas of an answer: a word may reach over several. */
  segmentsOfAll(texts: readonly string[]): Segment[][] {
    const parts = texts.join("").match(WORDS) ?? [];
    const isListed = (part: string) => this.#words.has(part.toLowerCase());
    if (!parts.some(isListed)) return texts.map((text) => (text === "" ? [] : [{ text, isShown: false }]));
    const segments = parts.map((text) => ({ text, isShown: !IS_WORD.test(text) || isListed(text) }));
    const lengths = texts.map(({ length }) => length);
    return splitAt(segments, lengths);
  }
}

/** Cuts a row of segments into rows of these lengths. Neighbours of one kind become one segment. */
function splitAt(segments: readonly Segment[], lengths: readonly number[]): Segment[][] {
  let at = 0;
  let offset = 0;
  return lengths.map((length) => {
    const row: Segment[] = [];
    let left = length;
    while (left > 0) {
      const segment = segments[at];
      if (segment === undefined) break;
      const text = segment.text.slice(offset, offset + left);
      const last = row.at(-1);
      if (last?.isShown === true && segment.isShown) row[row.length - 1] = { text: last.text + text, isShown: true };
      else row.push({ text, isShown: segment.isShown });
      left -= text.length;
      offset += text.length;
      if (offset === segment.text.length) {
        at += 1;
        offset = 0;
      }
    }
    return row;
  });
}

/** What an error may show, because no user wrote it: words that tell errors apart (packages/gateway/backends/cursor/errors.ts), and usual ones. */
export const errorWords = [
  "Update Required",
  "outdated client, version, update to the latest version",
  "usage limit, quota, spend limit, spending limit, out of credits, usage, requests",
  "only use Auto, switch to Auto",
  "rate limit, too many requests, slow down, try again",
  "overload, overloaded, high load, high demand, at capacity",
  "blob not found",
  "too many computers",
  "context length, context window, conversation is too long, prompt is too long, input too long",
  "not logged in, log in again, sign in again, unauthorized",
  "region is not available for your team",
  "model not available, not found, not permitted",
  "providerStatusCode, retryAfter",
  "Error, error, resource_exhausted, invalid_argument, tool, schema, provider",
];

/** Texts that stand for a number: codes and names of types and of errors. */
export const errorTexts: readonly string[] = [
  ...Object.values(Code).flatMap((code) => (typeof code === "number" ? [codeToString(code)] : [])),
  ErrorDetailsSchema.typeName,
  ...Object.keys(ErrorDetails_Error).map((name) => `ERROR_${name}`),
];

/** All that JSON has outside of its texts, besides numbers and words. */
const SYNTAX = /[\s{}[\]:,]/;

/** The syntax of JSON alone: a part may begin inside of a text, so nothing else is shown on either side of a quote. */
export function segmentsOfJson(text: string): Segment[] {
  const segments: Segment[] = [];
  const add = (part: string, isShown: boolean) => {
    const last = segments.at(-1);
    if (last?.isShown === isShown) segments[segments.length - 1] = { text: last.text + part, isShown };
    else segments.push({ text: part, isShown });
  };
  let isInside = false;
  let isEscaped = false;
  for (const char of text) {
    const isQuote = char === '"' && !isEscaped;
    add(char, isQuote || (!isInside && SYNTAX.test(char)));
    if (isQuote) isInside = !isInside;
    isEscaped = isInside && char === "\\" && !isEscaped;
  }
  return segments;
}

/** Names of Connect's errors and of Cursor's documented API, which have no schema here. */
const others = [
  ...["error", "code", "message", "details", "type", "value", "debug", "metadata", "providerStatusCode", "retryAfter"],
  ...["items", "id", "displayName", "aliases", "parameters", "values", "variants", "params", "isDefault"],
];

/** The field names of APIs. Others may be content: some objects have keys that users chose. */
export const jsonNames: ReadonlySet<string> = new Set([...others, ...schemaNames()]);

function* schemaNames(): Generator<string> {
  for (const type of createRegistry(file_agent_v1, file_aiserver_v1))
    if (type.kind === "message") for (const { jsonName } of type.fields) yield jsonName;
}
