import type { JsonObject } from "@bufbuild/protobuf";

/** Reads the JSON object that begins at a brace, and returns where it ends. Anything may follow. */
export function scanJsonObject(text: string, start: number): { value: JsonObject; end: number } | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isInString) {
      if (char === "\\") at += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return parse(text.slice(start, at + 1), at + 1);
    }
  }
  return undefined;
}

/** No directive is that long. The limit bounds the attempts on a text full of brackets. */
const MAX_ENDS = 64;

/**
 * The same for text with escaped quotation marks, as in prompts that clients quote as a whole. The object ends before closing
 * brackets, since nothing else in such a text is reliable.
 */
export function scanEscapedObject(text: string, start: number): { value: JsonObject; end: number } | undefined {
  let brackets = start;
  for (let tried = 0; tried < MAX_ENDS; tried += 1) {
    brackets = text.indexOf("]]", brackets + 1);
    if (brackets === -1) return undefined;
    const source = text.slice(start, brackets).trimEnd();
    if (!source.endsWith("}")) continue;
    const read = parse(source.replace(/\\(["\\])/g, "$1"), start + source.length);
    if (read !== undefined) return read;
  }
  return undefined;
}

function parse(source: string, end: number): { value: JsonObject; end: number } | undefined {
  try {
    const value: JsonObject = JSON.parse(source);
    return { value, end };
  } catch {
    return undefined;
  }
}
