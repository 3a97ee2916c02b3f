type Part = "system" | "tools" | "user" | "assistant" | "tool_call" | "tool_result";

/** Matches the beginning of any part's tag, opening or closing, in any spelling. `<system-reminder>` is another tag. */
const TAG = /<(?=\/?(?:system|tools|user|assistant|tool_call|tool_result)(?![\w-]))/gi;

export function framed(part: Part, text: string): string {
  return `<${part}>\n${withoutTags(text)}\n</${part}>`;
}

/** Makes text unable to end its own part or to begin another, so that no speaker can pretend to be another. */
export function withoutTags(text: string): string {
  return text.replace(TAG, "&lt;");
}
