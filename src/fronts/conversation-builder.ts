import type { CallBlock, InputBlock, TextBlock, ThinkingBlock, ToolResult } from "../turn/blocks.js";
import type { Message } from "../turn/turn.js";

/**
 * Puts a conversation together by the same rules for every dialect, so that the same conversation gives the same turn.
 * System text at the beginning is the system prompt. Further on it stays where it is, as a remark: pulled to the front it
 * would change what everything after it was said under, and no checkpoint would fit any more.
 */
export class ConversationBuilder {
  readonly #system: string[] = [];
  readonly #messages: Message[] = [];
  readonly #heldRemarks: InputBlock[] = [];
  #results: ToolResult[] = [];

  /** Whether what was said last, remarks aside, are results that a model waits for. */
  get endsInResults(): boolean {
    return this.#messages.at(-1)?.role === "tool";
  }

  system(text: string): void {
    if (text === "") return;
    if (this.#messages.length === 0) this.#system.push(text);
    else this.remark([{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }]);
  }

  user(content: readonly InputBlock[]): void {
    this.#messages.push({ role: "user", content: [...this.#heldRemarks.splice(0), ...content] });
  }

  /** Blocks that follow each other belong to one message, whatever pieces the dialect cuts it into. */
  assistant(content: readonly (TextBlock | ThinkingBlock | CallBlock)[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role !== "assistant") this.#messages.push({ role: "assistant", content });
    else this.#messages[this.#messages.length - 1] = { role: "assistant", content: [...last.content, ...content] };
  }

  /** Results that follow each other belong to one assistant message. */
  result(result: ToolResult): void {
    if (this.#messages.at(-1)?.role !== "tool") {
      this.#results = [];
      this.#messages.push({ role: "tool", results: this.#results });
    }
    this.#results.push(result);
    this.remark(this.#heldRemarks.splice(0));
  }

  /** What a client adds to the words of a user or to a result, and nobody said. A run that waits for results goes on with it. */
  remark(content: readonly InputBlock[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    const [first, ...rest] = content;
    const apart = first?.type === "text" ? [{ ...first, text: `\n\n${first.text}` }, ...rest] : content;
    if (last?.role === "user") {
      this.#messages[this.#messages.length - 1] = { role: "user", content: [...last.content, ...apart] };
    } else if (last?.role === "tool") {
      const result = this.#results.pop();
      if (result !== undefined) this.#results.push({ ...result, content: [...result.content, ...apart] });
    } else {
      this.#heldRemarks.push(...content);
    }
  }

  /** Where only the system has spoken, its last words are to be answered, as OpenAI's own API does. */
  answerSystem(): void {
    const last = this.#messages.length === 0 ? this.#system.pop() : undefined;
    if (last !== undefined) this.user([{ type: "text", text: last }]);
  }

  build(): { system: string; messages: readonly Message[] } {
    if (this.#heldRemarks.length > 0) this.user([]);
    return { system: this.#system.join("\n\n"), messages: this.#messages };
  }
}
