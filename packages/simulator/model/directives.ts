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

/** The stream breaks off. "once" means the first time that the message with this directive is read. */
export type BreakOff =
  | { type: "drop" | "end"; isOnce?: boolean }
  /** The client opens no more streams on the connection; if it is cut, this one ends with it. */
  | { type: "goaway"; isCut?: boolean; isOnce?: boolean };

/** The text in double square brackets in a user message. */
export type Directive =
  /** "refuse" says that the model will not do it, and ends the turn. */
  | { type: "say" | "think" | "refuse" | "notice"; text: string }
  | { type: "call"; name: string; args: JsonObject }
  | { type: "native" | "query"; kind: string; args: JsonObject }
  | { type: "exec"; field: number }
  | { type: "stream" | "flood"; count: number }
  | { type: "wait"; ms: number }
  /** A pause between two calls. */
  | { type: "gap"; ms: number }
  /** The staged checkpoint of the next calls comes that much later than they do. */
  | { type: "delay-checkpoint"; ms: number }
  | { type: "fail"; code: Code; error: number | undefined }
  | { type: "badjson"; count: number }
  | { type: "ignore"; count: number }
  | { type: "usage"; usage: TurnUsage }
  | { type: "state" }
  | { type: "partial" }
  /** An unknown update of that number. */
  | { type: "update"; field: number }
  | BreakOff
  /** Looks like a directive but is not one; the answer says so. */
  | { type: "unreadable"; source: string; reason: string };

export interface LocatedDirective {
  directive: Directive;
  /** Whether only white space separates it from the directive before it. */
  isAdjacent: boolean;
}

/** Reads the text after a directive's word. `end` is where its closing brackets begin. */
type Reader = (text: string, at: number) => { directive: Directive; end: number } | { reason: string };

/** The comments are the table of directives in the guide. */
const readers: Record<string, Reader> = {
  /** [[say TEXT]] Streams TEXT, about a word at a time. */
  say: words((text) => ({ type: "say", text })),
  /** [[think TEXT]] Sends thinking. */
  think: words((text) => ({ type: "think", text })),
  /** [[refuse TEXT]] Says TEXT and ends the turn; the fake `cursor-agent` ends with ACP's `refusal`. */
  refuse: words((text) => ({ type: "refuse", text })),
  /** [[notice TEXT]] Sends TEXT as a notice from Cursor to its user, apart from the answer. */
  notice: words((text) => ({ type: "notice", text })),
  /** [[call NAME {json}]] Calls the client's tool NAME (quoted if it has spaces). Calls separated only by white space are parallel. */
  call: named((name, args) => ({ type: "call", name, args })),
  /** [[native KIND {json}]] Calls Cursor's built-in tool KIND (shell, read, write, grep, ls, fetch, ...). */
  native: named((kind, args) => ({ type: "native", kind, args })),
  /** [[query KIND {json}]] Asks the client's user a question. */
  query: named((kind, args) => ({ type: "query", kind, args })),
  /** [[exec N]] Calls a tool that no client knows. */
  exec: number("a field number", (field) => ({ type: "exec", field }), 1, 0x1fff_ffff),
  /** [[gap MS]] Delays the next call of a parallel group. */
  gap: number("milliseconds", (ms) => ({ type: "gap", ms })),
  /** [[delay-checkpoint MS]] Sends the checkpoint of the next calls that much later than the calls, unless a result comes first. */
  "delay-checkpoint": number("milliseconds", (ms) => ({ type: "delay-checkpoint", ms })),
  /** [[wait MS]] Sends only heartbeats. */
  wait: number("milliseconds", (ms) => ({ type: "wait", ms })),
  /** [[stream N]] Sends N small deltas as fast as possible. */
  stream: number("a count", (count) => ({ type: "stream", count }), 0, 10_000_000),
  /** [[flood N]] Asks for the client's context N times and stops reading. */
  flood: number("a count", (count) => ({ type: "flood", count }), 0, 10_000_000),
  /** [[badjson N]] Gives N structured answers that do not match their schema. */
  badjson: number("a count", (count) => ({ type: "badjson", count })),
  /** [[ignore N]] Ignores N demands for a tool call. */
  ignore: number("a count", (count) => ({ type: "ignore", count })),
  /** [[state]] Asks for the state of the client's MCP servers. */
  state: bare({ type: "state" }),
  /** [[partial]] Streams the arguments of the next calls first. */
  partial: bare({ type: "partial" }),
  /** [[drop]], [[drop once]] Resets the stream; `once`: only the first time that this message is read, so a retry succeeds. */
  drop: marked(["once"], ({ once }) => ({ type: "drop", ...(once && { isOnce: true }) })),
  /** [[end]], [[end once]] Ends the stream in order, but without the end of the turn. */
  end: marked(["once"], ({ once }) => ({ type: "end", ...(once && { isOnce: true }) })),
  /** [[goaway]], [[goaway cut]], [[goaway cut once]] Sends GOAWAY without an error; `cut`: closes the connection with it. */
  goaway: marked(["cut", "once"], ({ cut, once }) => {
    return { type: "goaway", ...(cut && { isCut: true }), ...(once && { isOnce: true }) };
  }),
  /** [[update N]] Sends an update that no client knows. */
  update: number("a field number", (field) => ({ type: "update", field }), 1, 0x1fff_ffff),
  /** [[fail CODE]], [[fail CODE ERROR_NAME]] Ends with that Connect error; ERROR_NAME adds Cursor's details. */
  fail: tokens(readFail),
  /** [[usage IN OUT CACHE_READ CACHE_WRITE REASONING]] Sets the usage of the turn. */
  usage: tokens(readUsage),
};

export function scanDirectives(text: string): LocatedDirective[] {
  const found: LocatedDirective[] = [];
  let previousEnd = -1;
  const opening = /\[\[\s*([a-z-]+)(?=[\s\]])/gi;
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

/** Reads a directive that takes any of these words. */
function marked<Word extends string>(
  allowed: readonly Word[],
  make: (given: Record<Word, boolean>) => Directive,
): Reader {
  return tokens((given) => {
    const lower = given.map((word) => word.toLowerCase());
    if (!lower.every((word) => allowed.some((each) => each === word))) return `it takes only: ${allowed.join(", ")}`;
    return make(Object.fromEntries(allowed.map((word) => [word, lower.includes(word)])) as Record<Word, boolean>);
  });
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
