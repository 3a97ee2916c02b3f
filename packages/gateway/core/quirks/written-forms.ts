import type { CallBlock } from "../../turn/blocks.js";
import { field, isObject, parseJson } from "../../turn/read-json.js";
import type { ToolDefinition } from "../../turn/turn.js";

/** A parser that takes one character at a time, and returns undefined as soon as the text cannot match any more. */
export type Reading<T> = Generator<undefined, T | undefined, string>;

export type WrittenCall = Pick<CallBlock, "name" | "input">;

/** A form in which models write calls as text: its opening, and the reader for the rest. */
interface WrittenForm {
  readonly opening: string;
  read(tools: readonly ToolDefinition[]): Reading<readonly WrittenCall[]>;
}

export const writtenForms: readonly WrittenForm[] = [
  { opening: "<tool_call>", read: (tools) => readObject(tools, "</tool_call>") },
  { opening: "<function_calls>", read: readInvocations },
  { opening: "[Called tool: ", read: readMention },
  { opening: "```json", read: readFence },
  { opening: "```tool_call", read: readFence },
];

export const longestOpening = Math.max(...writtenForms.map(({ opening }) => opening.length));

const LESS_THAN = 60;
const BRACKET = 91;
const BACKTICK = 96;

/** The index where a form opens, or may open when more text comes; -1 otherwise. Must be fast, because all text passes it. */
export function findOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === LESS_THAN || code === BRACKET || code === BACKTICK) && mayOpen(text, at)) return at;
  }
  return -1;
}

function mayOpen(text: string, at: number): boolean {
  const beginning = text.slice(at, at + longestOpening);
  return writtenForms.some(({ opening }) => opening.startsWith(beginning) || beginning.startsWith(opening));
}

const nameKeys = ['name"', 'tool"'];
const keys = [...nameKeys, 'arguments"', 'input"', 'parameters"'];

/** Reads `{"name": ..., "arguments": {...}}` and the closing of the form. */
function* readObject(tools: readonly ToolDefinition[], closing: string): Reading<readonly WrittenCall[]> {
  if ((yield* afterSpace()) !== "{") return undefined;
  const call = yield* readCall(tools);
  if (call === undefined || (yield* oneOf([closing], yield* afterSpace())) === undefined) return undefined;
  return [call];
}

function* readFence(tools: readonly ToolDefinition[]): Reading<readonly WrittenCall[]> {
  if (!isSpace(yield)) return undefined;
  return yield* readObject(tools, "```");
}

/** Reads `name({...})]`. */
function* readMention(tools: readonly ToolDefinition[]): Reading<readonly WrittenCall[]> {
  const name = yield* readToolName(tools, "(");
  if (name === undefined || (yield* afterSpace()) !== "{") return undefined;
  const input = yield* readJsonObject();
  if (input === undefined || (yield* oneOf([")]"], yield* afterSpace())) === undefined) return undefined;
  return [{ name, input }];
}

function* readInvocations(tools: readonly ToolDefinition[]): Reading<readonly WrittenCall[]> {
  const calls: WrittenCall[] = [];
  for (;;) {
    const tag = yield* oneOf(['<invoke name="', "</function_calls>"], yield* afterSpace());
    if (tag === "</function_calls>" && calls.length > 0) return calls;
    if (tag !== '<invoke name="') return undefined;
    const call = yield* readInvocation(tools);
    if (call === undefined) return undefined;
    calls.push(call);
  }
}

function* readInvocation(tools: readonly ToolDefinition[]): Reading<WrittenCall> {
  const name = yield* readToolName(tools, '">');
  if (name === undefined) return undefined;
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  const input: [string, unknown][] = [];
  for (;;) {
    const tag = yield* oneOf(['<parameter name="', "</invoke>"], yield* afterSpace());
    if (tag === "</invoke>") return { name, input: JSON.stringify(Object.fromEntries(input)) };
    if (tag === undefined) return undefined;
    const key = yield* textBefore('">');
    const value = yield* textBefore("</parameter>");
    if (key === undefined || value === undefined || input.some(([known]) => known === key)) return undefined;
    input.push([key, parameterValue(schema, key, value)]);
  }
}

/** Reads on after the opening brace. */
function* readCall(tools: readonly ToolDefinition[]): Reading<WrittenCall> {
  let name: string | undefined;
  let input: string | undefined;
  for (;;) {
    if ((yield* afterSpace()) !== '"') return undefined;
    const key = yield* oneOf(keys);
    if (key === undefined || (yield* afterSpace()) !== ":") return undefined;
    const first = yield* afterSpace();
    if (nameKeys.includes(key)) {
      if (name !== undefined || first !== '"') return undefined;
      name = yield* readToolName(tools, '"');
      if (name === undefined) return undefined;
    } else {
      if (input !== undefined || first !== "{") return undefined;
      input = yield* readJsonObject();
      if (input === undefined) return undefined;
    }
    const next = yield* afterSpace();
    if (next === "}") return name === undefined || input === undefined ? undefined : { name, input };
    if (next !== ",") return undefined;
  }
}

function* readToolName(tools: readonly ToolDefinition[], end: string): Reading<string> {
  const read = yield* oneOf(tools.map(({ name }) => name + end));
  return read?.slice(0, -end.length);
}

/** Parameters are written bare. Only the tool's schema says whether `5` is a number. */
function parameterValue(schema: Readonly<Record<string, unknown>> | undefined, key: string, text: string): unknown {
  const properties = field(schema, "properties");
  const property = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  const types = [field(property, "type")].flat();
  if (property === undefined || types.includes("string")) return text;
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** Reads until the text is one of the options. No option may be a prefix of another. */
function* oneOf(options: readonly string[], first = ""): Reading<string> {
  let text = first;
  let open = options;
  for (;;) {
    open = open.filter((option) => option.startsWith(text));
    if (open.length === 0) return undefined;
    if (open.includes(text)) return text;
    text += yield;
  }
}

/** The text before an end marker whose first character occurs only once in it. */
function* textBefore(end: string): Reading<string> {
  let text = "";
  for (let matched = 0; matched < end.length; ) {
    const character = yield;
    text += character;
    if (character === end[matched]) matched++;
    else matched = character === end[0] ? 1 : 0;
  }
  return text.slice(0, -end.length);
}

function* afterSpace(): Generator<undefined, string, string> {
  for (;;) {
    const character = yield;
    if (!isSpace(character)) return character;
  }
}

export function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

/** Reads on after the opening brace. Returns the text of the whole object as the model wrote it. */
function* readJsonObject(): Reading<string> {
  let text = "{";
  let isString = false;
  for (let depth = 1; depth > 0; ) {
    const character = yield;
    text += character;
    if (isString) {
      if (character === "\\") text += yield;
      else if (character === '"') isString = false;
      // A control character in a string shows early that this is not JSON.
      else if (character < " ") return undefined;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
  }
  return parseJson(text) === undefined ? undefined : text;
}
