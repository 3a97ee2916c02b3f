import type { ToolDefinition } from "../../../turn/turn.js";

/** The model reads it at every refusal. */
const MAX_NAMES_CHARACTERS = 600;

/** The refusal text for a built-in tool that cannot be mapped; names only tools really offered. */
export function refusalReason(tools: readonly ToolDefinition[]): string {
  const start = "Cursor's built-in tools are not available in this session.";
  if (tools.length === 0) return `${start} The user's application offers no tools either: answer in text.`;
  const named: string[] = [];
  let length = 0;
  for (const { name } of tools) {
    if (length + name.length + 2 > MAX_NAMES_CHARACTERS) continue;
    named.push(name);
    length += name.length + 2;
  }
  if (named.length === 0) return `${start} Use the tools of the user's application instead.`;
  const more = tools.length - named.length;
  const rest = more === 0 ? "" : ` and ${more} more`;
  return `${start} Use the tools of the user's application instead: ${named.join(", ")}${rest}.`;
}
