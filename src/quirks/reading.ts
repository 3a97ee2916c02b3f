import { parseJson } from "../turn/read-json.js";

/**
 * Takes one character at a time; returns what it read as soon as that is complete, or undefined as soon as it can no
 * longer be what it was taken for. So a text is read once, however it is cut up.
 */
export type Reading<T> = Generator<undefined, T | undefined, string>;

/** Reads on until the text is one of the options, none of which may begin another. */
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

/** The text up to an end whose first character stands nowhere else in it. */
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

/** Behind the opening brace; gives the text of the whole object as the model wrote it. */
export function* readJsonObject(): Reading<string> {
  let text = "{";
  let isString = false;
  for (let depth = 1; depth > 0; ) {
    const character = yield;
    text += character;
    if (isString) {
      if (character === "\\") text += yield;
      else if (character === '"') isString = false;
      // What JSON does not allow in a string shows early that this is none.
      else if (character < " ") return undefined;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
  }
  return parseJson(text) === undefined ? undefined : text;
}
