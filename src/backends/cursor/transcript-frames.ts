/** The parts of a conversation that is told to a model in one text. */
type Part = "system" | "tools" | "user" | "assistant" | "tool_call" | "tool_result";

/** The beginning of any part's tag, opening or closing, however it is written. `<system-reminder>` is another tag. */
const TAG = /<(?=\/?(?:system|tools|user|assistant|tool_call|tool_result)(?![\w-]))/gi;

export function framed(part: Part, text: string): string {
  return `<${part}>\n${withoutTags(text)}\n</${part}>`;
}

/** Text that can neither end the part that it stands in nor begin another: nobody's words pretend to be somebody else's. */
export function withoutTags(text: string): string {
  return text.replace(TAG, "&lt;");
}
