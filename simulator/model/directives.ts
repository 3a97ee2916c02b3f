import type { JsonObject } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { errorNumber } from "./directed-failure.js";
import { scanEscapedObject, scanJsonObject } from "./json-scan.js";

export interface TurnUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

/** What stands in double square brackets in a user message. */
export type Directive =
  /** "refuse": says that it will not, and the turn is over. */
  | { type: "say" | "think" | "refuse"; text: string }
  | { type: "call"; name: string; args: JsonObject }
  | { type: "native" | "query"; kind: string; args: JsonObject }
  | { type: "exec"; field: number }
  | { type: "stream" | "flood"; count: number }
  | { type: "wait"; ms: number }
  /** Between two calls. */
  | { type: "gap"; ms: number }
  | { type: "fail"; code: Code; error: number | undefined }
  | { type: "badjson"; count: number }
  | { type: "ignore"; count: number }
  | { type: "usage"; usage: TurnUsage }
  | { type: "state" }
  | { type: "partial" }
  | { type: "drop" }
  /** Meant as a directive, but not one: the answer says so. */
  | { type: "unreadable"; source: string; reason: string };

export interface PlacedDirective {
  directive: Directive;
  /** Nothing but white space between it and the directive before it. */
  isAdjacent: boolean;
}

/** What a directive's word makes of the text behind it. `end` is where its closing brackets begin. */
type Reader = (text: string, at: number) => { directive: Directive; end: number } | { reason: string };

const readers: Record<string, Reader> = {
  say: words((text) => ({ type: "say", text })),
  think: words((text) => ({ type: "think", text })),
  refuse: words((text) => ({ type: "refuse", text })),
  call: named((name, args) => ({ type: "call", name, args })),
  native: named((kind, args) => ({ type: "native", kind, args })),
  query: named((kind, args) => ({ type: "query", kind, args })),
  exec: number("a field number", (field) => ({ type: "exec", field }), 1, 0x1fff_ffff),
  gap: number("milliseconds", (ms) => ({ type: "gap", ms })),
  wait: number("milliseconds", (ms) => ({ type: "wait", ms })),
  stream: number("a count", (count) => ({ type: "stream", count }), 0, 10_000_000),
  flood: number("a count", (count) => ({ type: "flood", count }), 0, 10_000_000),
  badjson: number("a count", (count) => ({ type: "badjson", count })),
  ignore: number("a count", (count) => ({ type: "ignore", count })),
  state: bare({ type: "state" }),
  partial: bare({ type: "partial" }),
  drop: bare({ type: "drop" }),
  fail: tokens(readFail),
  usage: tokens(readUsage),
};

export function scanDirectives(text: string): PlacedDirective[] {
  const found: PlacedDirective[] = [];
  let previousEnd = -1;
  const opening = /\[\[\s*([a-z]+)(?=[\s\]])/gi;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const reader = readers[(match[1] ?? "").toLowerCase()];
    if (reader === undefined) continue;
    const read = reader(text, opening.lastIndex);
    const isClosed = "end" in read && read.end !== -1 && text.startsWith("]]", read.end);
    const end = isClosed ? read.end + 2 : text.indexOf("]]", match.index) + 2;
    if (end === 1) break; // never closed: plain text
    const source = text.slice(match.index, end);
    const reason = "reason" in read ? read.reason : "there is something left before the brackets close";
    const isAdjacent = previousEnd !== -1 && text.slice(previousEnd, match.index).trim() === "";
    found.push({ directive: isClosed ? read.directive : { type: "unreadable", source, reason }, isAdjacent });
    previousEnd = end;
    opening.lastIndex = end;
  }
  return found;
}

function words(make: (text: string) => Directive): Reader {
  return (text, at) => {
    const end = text.indexOf("]]", at);
    return { directive: make(text.slice(at, end).replace(/^\s/, "")), end };
  };
}

function named(make: (name: string, args: JsonObject) => Directive): Reader {
  return (text, at) => {
    const match = /^\s+(?:\\?"([^"\\]+)\\?"|([^\s{}[\]]+))\s*/.exec(text.slice(at, at + 500));
    if (match === null) return { reason: "a name is missing" };
    const name = match[1] ?? match[2] ?? "";
    let end = at + match[0].length;
    if (!text.startsWith("{", end)) return { directive: make(name, {}), end };
    const object = scanJsonObject(text, end) ?? scanEscapedObject(text, end);
    if (object === undefined) return { reason: "its JSON cannot be read" };
    end = object.end;
    while (/\s/.test(text.charAt(end))) end += 1;
    return { directive: make(name, object.value), end };
  };
}

function tokens(make: (tokens: string[]) => Directive | string): Reader {
  return (text, at) => {
    const end = text.indexOf("]]", at);
    const made = make(text.slice(at, end).trim().split(/\s+/).filter(Boolean));
    return typeof made === "string" ? { reason: made } : { directive: made, end };
  };
}

function number(what: string, make: (value: number) => Directive, min = 0, max = 0x7fff_ffff): Reader {
  return tokens(([value, ...rest]) => {
    const isFine = value !== undefined && rest.length === 0 && isCount(value, min, max);
    return isFine ? make(Number(value)) : `it needs ${what} from ${min} to ${max}`;
  });
}

function bare(directive: Directive): Reader {
  return tokens((rest) => (rest.length === 0 ? directive : "it stands alone"));
}

function readFail([code, name, ...rest]: string[]): Directive | string {
  const connectCode = codeFromString(code?.toLowerCase() ?? "");
  if (connectCode === undefined) return "it needs a Connect code such as unavailable";
  if (rest.length > 0) return "it takes a code and one name";
  const error = name === undefined ? undefined : errorNumber(name);
  if (name !== undefined && error === undefined) return `there is no error ${name}`;
  return { type: "fail", code: connectCode, error };
}

function readUsage(values: string[]): Directive | string {
  const [input, output, cacheRead, cacheWrite, reasoning] = values.map(Number);
  if (
    values.length !== 5 ||
    !values.every((value) => isCount(value, 0, Number.MAX_SAFE_INTEGER)) ||
    input === undefined ||
    output === undefined ||
    cacheRead === undefined ||
    cacheWrite === undefined ||
    reasoning === undefined
  ) {
    return "it needs five counts: input, output, cache read, cache write, reasoning";
  }
  return { type: "usage", usage: { input, output, cacheRead, cacheWrite, reasoning } };
}

function isCount(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
}
