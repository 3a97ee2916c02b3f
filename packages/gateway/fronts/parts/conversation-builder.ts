import type { CallBlock, InputBlock, TextBlock, ThinkingBlock, ToolResult } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import { perObject } from "../../turn/per-object.js";
import { MAX_CALLS_TOGETHER } from "../../turn/request-limits.js";
import type { Message } from "../../turn/turn.js";

type AssistantBlock = TextBlock | ThinkingBlock | CallBlock;

/**
 * Builds a conversation by the same rules for every dialect, so that the same conversation gives the same turn. System text at
 * the beginning is the system prompt. Later system text stays in its position as a remark: moving it to the front would change
 * the context of everything after it, and no checkpoint would match any more.
 */
export class ConversationBuilder {
  readonly #system: string[] = [];
  readonly #messages: Message[] = [];
  readonly #heldRemarks: InputBlock[] = [];
  /** The newest message of the user, or the newest result. */
  readonly #said = new Growing<InputBlock>();
  readonly #answered = new Growing<AssistantBlock>();
  #calls = 0;
  #results: ToolResult[] = [];

  /** Whether the conversation, apart from remarks, ends in results that a model waits for. */
  get endsInResults(): boolean {
    return this.#messages.at(-1)?.role === "tool";
  }

  system(text: string): void {
    if (text === "") return;
    if (this.#messages.length === 0) this.#system.push(text);
    else this.remark([{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }]);
  }

  user(content: readonly InputBlock[]): void {
    const message = { role: "user" as const, content };
    if (this.#heldRemarks.length > 0) message.content = [...this.#heldRemarks.splice(0), ...content];
    this.#said.begin(message);
    this.#messages.push(message);
  }

  /** Neighbouring blocks belong to one message. @throws {GatewayError} `invalid_request`, if it has too many calls. */
  assistant(content: readonly AssistantBlock[]): void {
    if (content.length === 0) return;
    if (this.#messages.at(-1)?.role === "assistant") this.#answered.add(content);
    else {
      const message = { role: "assistant" as const, content };
      this.#answered.begin(message);
      this.#calls = 0;
      this.#messages.push(message);
    }
    for (const { type } of content) if (type === "call") this.#calls++;
    if (this.#calls <= MAX_CALLS_TOGETHER) return;
    const text = `An assistant message makes more than ${MAX_CALLS_TOGETHER} tool calls. Start a new conversation with a summary of this one.`;
    throw new GatewayError("invalid_request", text);
  }

  /** Adds a result. Neighbouring results answer the same assistant message. */
  result(result: ToolResult): void {
    const held = { ...result };
    this.#said.begin(held);
    if (this.#messages.at(-1)?.role === "tool") this.#results.push(held);
    else {
      this.#results = [held];
      this.#messages.push({ role: "tool", results: this.#results });
    }
    if (this.#heldRemarks.length > 0) this.remark(this.#heldRemarks.splice(0));
  }

  /** Adds content that the user did not write to a user's message or a result. A run that waits for results continues with it. */
  remark(content: readonly InputBlock[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    const [first, ...rest] = content;
    const apart = first?.type === "text" ? [withLineBreak(first), ...rest] : content;
    if (last?.role === "user" || last?.role === "tool") this.#said.add(apart);
    else append(this.#heldRemarks, content);
  }

  /** If there is only system text, its last part is answered, as in OpenAI's own API. */
  answerSystem(): void {
    const last = this.#messages.length === 0 ? this.#system.pop() : undefined;
    if (last !== undefined) this.user([{ type: "text", text: last }]);
  }

  build(): { system: string; messages: readonly Message[] } {
    if (this.#heldRemarks.length > 0) this.user([]);
    return { system: this.#system.join("\n\n"), messages: this.#messages };
  }
}

/**
 * The newest content, to which more may be added. It is copied once for that, and then grows in place: more may come in many small
 * pieces.
 */
class Growing<Block> {
  #holder: { content: readonly Block[] } = { content: [] };
  #own: Block[] | undefined;

  begin(holder: { content: readonly Block[] }): void {
    this.#holder = holder;
    this.#own = undefined;
  }

  add(blocks: readonly Block[]): void {
    this.#own ??= [...this.#holder.content];
    this.#holder.content = this.#own;
    append(this.#own, blocks);
  }
}

const withLineBreak = perObject((block: TextBlock): TextBlock => ({ ...block, text: `\n\n${block.text}` }));

/** Pushes one by one: a request may have more blocks than a call can take as arguments. */
function append<Block>(blocks: Block[], more: readonly Block[]): void {
  for (const block of more) blocks.push(block);
}
