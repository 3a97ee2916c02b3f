import type { Descriptors } from "../../../packages/wire/descriptors/read-bundle.js";
import type { Comparison, Decisions } from "./compare.js";
import type { Schema } from "./schema.js";

/** What the product knows of Cursor's descriptors: our fields with their forms, what we leave out by number, or `*` for all that is left. */
export function knownFields(
  ours: Schema,
  { types }: Descriptors,
  { pairs }: Comparison,
  { leftOut }: Decisions,
): string {
  const sent = reachable(ours);
  const parts: Record<"sent" | "read", Map<string, string>> = { sent: new Map(), read: new Map() };
  for (const their of [...new Set(pairs.map(([, name]) => name))].sort()) {
    const names = pairs.filter(([, name]) => name === their).map(([our]) => our);
    const has = (number: string) =>
      names.some((our) => (ours.messages.get(our) ?? ours.enums.get(our))?.has(Number(number)));
    const items = [...(types.get(their) ?? [])].flatMap(([number, form]) =>
      has(number) ? [`${number} ${form}`] : leftOut.has(their) ? [] : [number],
    );
    const list = leftOut.has(their) ? [...items, "*"] : items;
    parts[names.some((our) => sent.has(our)) ? "sent" : "read"].set(their, list.join("; "));
  }
  return `${JSON.stringify({ sent: Object.fromEntries(parts.sent), read: Object.fromEntries(parts.read) }, null, 2)}\n`;
}

/** What is sent in calls, and what that consists of. */
function reachable({ messages, methods }: Schema): ReadonlySet<string> {
  const found = new Set([...methods.values()].map(({ input }) => input));
  // A Set's iteration also visits what is added on the way.
  for (const name of found)
    for (const { type } of messages.get(name)?.values() ?? []) found.add(type.replace(/^.*, /, ""));
  return found;
}
