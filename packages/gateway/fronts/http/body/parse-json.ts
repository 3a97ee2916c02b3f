import { isUtf8 } from "node:buffer";
import { GatewayError } from "../../../turn/error.js";
import { MAX_BODY_VALUES, MAX_JSON_DEPTH, MAX_MESSAGES } from "../../../turn/request-limits.js";
import { findJsonFault } from "./json-fault.js";

/** Strings up to this length are read character by character; for longer ones a native search for the end is faster. */
const SHORT_CHARACTERS = 16;

const TOO_MANY_VALUES = `The body has more than ${MAX_BODY_VALUES} values in its lists and objects. Send fewer, or put data into a string.`;
const TOO_DEEP = `The body's lists and objects are nested more than ${MAX_JSON_DEPTH} deep. Send deeper data as a string.`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts the values of a body, and refuses one that has more or deeper nesting than any request needs. It looks only at brackets and commas, and so
 * takes a fraction of the time of parsing. The parser decides whether the body is JSON at all. Scans the text, not the bytes,
 * because those of a large body are in a resizable buffer, whose elements take five times as long to read.
 */
export function countValues(text: string): number {
  let depth = 0;
  let values = 0;
  let entries = 0;
  let isTopList = false;
  let keyStart = 0;
  let keyEnd = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at + 1);
        if (depth === 1) {
          keyStart = at + 1;
          keyEnd = end;
        }
        at = end;
        break;
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_JSON_DEPTH) throw new GatewayError("invalid_request", TOO_DEEP);
        values++;
        if (depth === 2) {
          isTopList = code === OPEN_LIST;
          entries = 1;
        }
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
        if (++values > MAX_BODY_VALUES) throw new GatewayError("invalid_request", TOO_MANY_VALUES);
        if (depth === 2 && isTopList && ++entries > MAX_MESSAGES) {
          throw tooManyEntries(text.slice(keyStart, Math.min(keyEnd, keyStart + 40)));
        }
        break;
    }
  }
  return values;
}

/** The position of the closing quote, or else the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; ) {
    const stop = Math.min(at + SHORT_CHARACTERS, text.length);
    for (; at < stop; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at++;
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (quote - backslashes > at && text.charCodeAt(quote - backslashes - 1) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
  return text.length;
}

function tooManyEntries(key: string): GatewayError {
  // Our own keys are plain words; any other key is not repeated.
  const param = /^[a-z_]+$/.test(key) ? key : "body";
  return new GatewayError(
    "invalid_request",
    `${param}: must have at most ${MAX_MESSAGES} entries. Start a new conversation with a summary of this one.`,
    param === "body" ? {} : { param },
  );
}

/** Longer texts are not searched for the fault: that takes a tenth of a second for every megabyte. */
const MAX_SEARCHED_CHARACTERS = 2 * 1024 * 1024;

/** @throws {GatewayError} `invalid_json`, which never quotes the text, or `invalid_request` for too much in it. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The body is not valid UTF-8 text.");
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  countValues(text);
  if (text.trim() === "") throw new GatewayError("invalid_json", "The body is empty; send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    if (text.length > MAX_SEARCHED_CHARACTERS) throw new GatewayError("invalid_json", "The body is not valid JSON.");
    const { offset, line, column, isCut } = findJsonFault(text);
    const position = `line ${line}, column ${column} (position ${offset})`;
    throw new GatewayError(
      "invalid_json",
      isCut
        ? `The body is cut off: it ends in the middle of its JSON, at ${position}.`
        : `The body is not valid JSON at ${position}.`,
    );
  }
}
