import { parseJson } from "../turn/read-json.js";

/** A parser that takes one character at a time, and returns undefined as soon as the text cannot match any more. */
export type Reading<T> = Generator<undefined, T | undefined, string>;

/** Reads until the text is one of the options. No option may be a prefix of another. */
export function* oneOf(options: readonly string[], first = ""): Reading<string> {
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
export function* textBefore(end: string): Reading<string> {
  let text = "";
  for (let matched = 0; matched < end.length; ) {
    const character = yield;
    text += character;
    if (character === end[matched]) matched++;
    else matched = character === end[0] ? 1 : 0;
  }
  return text.slice(0, -end.length);
}

export function* afterSpace(): Generator<undefined, string, string> {
  for (;;) {
    const character = yield;
    if (!isSpace(character)) return character;
  }
}

export function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

/** Reads on after the opening brace. Returns the text of the whole object as the model wrote it. */
export function* readJsonObject(): Reading<string> {
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
