import type { JsonObject } from "@bufbuild/protobuf";

/** Reads the JSON object that begins at a brace, and says where it ends. What follows may be anything. */
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

function parse(source: string, end: number): { value: JsonObject; end: number } | undefined {
  try {
    const value: JsonObject = JSON.parse(source);
    return { value, end };
  } catch {
    return undefined;
  }
}
