import { hash } from "node:crypto";
import { type CallBlock, type InputBlock, joinText, type TextBlock, type ThinkingBlock } from "../../turn/blocks.js";
import { perObject } from "../../turn/per-object.js";
import { ConversationBuilder } from "../parts/conversation-builder.js";
import { writeCustomInput } from "../parts/custom-tool.js";
import type { ChatMessage, ChatRequest } from "./schema.js";

/** Results cannot hold images in this dialect: OpenCode and pi send them in a user message after them, under these words. */
const ATTACHED_TO_RESULT = /^Attached (?:media|image\(s\)) from tool result:$/;

type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type LegacyCall = NonNullable<Assistant["function_call"]>;

export function toConversation(chat: readonly ChatMessage[], topSystem: ChatRequest["system"], usesFunctions = false) {
  const builder = new ConversationBuilder();
  const legacyIds = new LegacyCallIds();
  builder.system(joinText(toBlocks(topSystem)));
  for (const message of chat) {
    const content = blocksOf(message);
    if (usesFunctions) legacyIds.read(message);
    switch (message.role) {
      case "system":
      case "developer":
        builder.system(joinText(content));
        break;
      case "user":
        addUser(builder, content);
        break;
      case "assistant": {
        const { function_call } = message;
        builder.assistant(function_call ? withLegacyCall(message, function_call, legacyIds) : replyOf(message));
        break;
      }
      case "tool":
        builder.result(resultOf(message));
        break;
      case "function":
        builder.result({ callId: legacyIds.answered(message.name), content, isError: false });
        break;
    }
  }
  builder.answerSystem();
  return { ...builder.build(), newCallId: () => legacyIds.next() };
}

function addUser(builder: ConversationBuilder, content: readonly InputBlock[]): void {
  const [first, ...attached] = content;
  const isOfResult =
    builder.endsInResults &&
    first?.type === "text" &&
    ATTACHED_TO_RESULT.test(first.text) &&
    attached.every(({ type }) => type !== "text");
  if (isOfResult) builder.remark(content);
  else builder.user(content);
}

/** The schema leaves text as it came: most messages have nothing else. */
function toBlocks(content: ChatMessage["content"]): readonly InputBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content ?? []).map((part) => (part.type === "text" ? { type: "text", text: part.text } : part));
}

const blocksOf = perObject(({ content }: ChatMessage) => toBlocks(content));

const resultOf = perObject((message: Extract<ChatMessage, { role: "tool" }>) => ({
  callId: message.tool_call_id,
  content: blocksOf(message),
  isError: false,
}));

const replyOf = perObject((message: Assistant) => {
  const blocks: (TextBlock | ThinkingBlock | CallBlock)[] = [];
  if (message.reasoning_content) blocks.push({ type: "thinking", text: message.reasoning_content });
  const text = joinText(toBlocks(message.content)) || message.refusal;
  if (text) blocks.push({ type: "text", text });
  for (const call of message.tool_calls ?? []) {
    const { id } = call;
    if (call.type === "custom") {
      blocks.push({ type: "call", id, name: call.custom.name, input: writeCustomInput(call.custom.input) });
    } else {
      blocks.push({ type: "call", id, name: call.function.name, input: call.function.arguments || "{}" });
    }
  }
  return blocks;
});

function withLegacyCall(message: Assistant, { name, arguments: input }: LegacyCall, ids: LegacyCallIds) {
  return [...replyOf(message), { type: "call" as const, id: ids.called(name), name, input: input || "{}" }];
}

/**
 * The old function calls have no ids; a result answers the latest call of its name. Their ids are made from the conversation up
 * to the user's last message and the number of the call after it, so that a later request gives a call the same id.
 */
class LegacyCallIds {
  readonly #latest = new Map<string, string>();
  #read = "";
  #question = "";
  /** False after a result: the run that waits for it takes what the user writes then, and numbers its calls on. */
  #isAnswered = true;
  #count = 0;

  read(message: ChatMessage): void {
    const called = message.role === "assistant" ? message.function_call : undefined;
    const read = [this.#read, message.role, message.content ?? "", called?.name, called?.arguments];
    this.#read = hash("sha256", JSON.stringify(read));
    if (message.role !== "user") this.#isAnswered = message.role !== "function";
    else if (this.#isAnswered) {
      this.#question = this.#read;
      this.#count = 0;
    }
  }

  next(): string {
    return `call_${hash("sha256", `${this.#question} ${this.#count++}`).slice(0, 32)}`;
  }

  called(name: string): string {
    const id = this.next();
    this.#latest.set(name, id);
    return id;
  }

  answered(name: string): string {
    return this.#latest.get(name) ?? this.called(name);
  }
}
