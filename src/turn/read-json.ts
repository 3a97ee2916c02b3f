/** Parses text that others wrote. Returns undefined when it is not JSON; never throws. */
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

/** The string field of that name; empty when there is none. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

/** The array field of that name; empty when there is none. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
