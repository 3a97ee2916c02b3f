/** Parses untrusted text. Returns undefined when it is not JSON; never throws. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value that a reference inside a document points to; undefined for references to names and to other documents. */
export function followReference(root: unknown, reference: string): unknown {
  const [start, ...parts] = decodeUri(reference).split("/");
  let found = start === "#" ? root : undefined;
  for (const part of parts) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null && Object.hasOwn(found, key) ? field(found, key) : undefined;
  }
  return found;
}

/** Decodes a part of an address. Returns it unchanged if it has a malformed escape. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The index after the bracket that closes the one at `start`; -1 when none does. */
export function endOfJson(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return -1;
}
