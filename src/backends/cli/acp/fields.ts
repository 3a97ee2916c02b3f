/** Reading what the CLI sends: leniently, and only what is used. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

export function list(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
