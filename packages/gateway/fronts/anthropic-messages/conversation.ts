import type { CallBlock, InputBlock, TextBlock, ThinkingBlock, ToolResult } from "../../turn/blocks.js";
import { perObject } from "../../turn/per-object.js";
import { ConversationBuilder } from "../parts/conversation-builder.js";
import { OWN_SIGNATURE } from "./message.js";
import type { Block, MessagesRequest } from "./schema.js";

type Message = MessagesRequest["messages"][number];
type Content = string | readonly Block[] | null | undefined;

/** Claude Code sends a header where the system prompt belongs. It changes with each request and means nothing to a model. */
const PSEUDO_HEADER = /^x-anthropic-billing-header:[^\n]*\n?/;

export function toConversation({ system, messages }: Pick<MessagesRequest, "system" | "messages">) {
  const builder = new ConversationBuilder();
  const leftOut = new Set<string>();
  const loadedTools = new Set<string>();
  for (const text of textsOf(system)) builder.system(text.replace(PSEUDO_HEADER, ""));
  for (const message of messages) {
    switch (message.role) {
      case "system":
        builder.system(textsOf(message.content).join("\n\n"));
        break;
      case "user":
        addUser(wordsOf(message), builder);
        break;
      case "assistant":
        builder.assistant(replyOf(message));
        break;
    }
    const names = namesIn(message);
    for (const name of names?.strangers ?? []) leftOut.add(name);
    for (const name of names?.loaded ?? []) loadedTools.add(name);
  }
  return { ...builder.build(), leftOut, loadedTools };
}

const wordsOf = perObject(({ content }: Message) => {
  const blocks = toBlocks(content);
  return {
    results: blocks.flatMap(toResult),
    words: toInput(blocks),
    isOfToolSearch: blocks.flatMap(loadedBy).length > 0,
  };
});

const replyOf = perObject(({ content }: Message) => toBlocks(content).flatMap(toAssistantBlock));

const namesIn = perObject(({ content }: Message) => {
  const [strangers, loaded] = [strangersIn(content), toBlocks(content).flatMap(loadedBy)];
  return strangers.length + loaded.length === 0 ? undefined : { strangers, loaded };
});

function addUser({ results, words, isOfToolSearch }: ReturnType<typeof wordsOf>, builder: ConversationBuilder): void {
  for (const result of results) builder.result(result);
  if (!builder.endsInResults) {
    builder.user(words);
    return;
  }
  if (words.length === 0) return;
  // Claude Code adds "Tool loaded." to the result of its tool search: the user typed nothing there.
  const isClients = isOfToolSearch ? isText : isRemark;
  for (const block of words.filter(isClients)) builder.remark([block]);
  const said = words.filter((block) => !isClients(block));
  if (said.length > 0) builder.user(said);
}

function toResult(block: Block): ToolResult[] {
  if (block.type !== "tool_result") return [];
  const { tool_use_id: callId, content, is_error } = block;
  return [{ callId, content: toInput(content), isError: is_error ?? false }];
}

/** The deferred tools that a result loads. */
function loadedBy(block: Block): readonly string[] {
  if (block.type !== "tool_result") return [];
  return toBlocks(block.content).flatMap((part) => (part.type === "attached" && part.loads ? [part.loads] : []));
}

function isText({ type }: InputBlock): boolean {
  return type === "text";
}

/** Whether a block is only reminders, which may accompany the results that a run waits for. Any other text is the user's. */
function isRemark(block: InputBlock): boolean {
  if (block.type !== "text") return false;
  const reminders = block.text.split("</system-reminder>");
  const rest = reminders.pop() ?? "";
  return rest.trim() === "" && reminders.every((text) => text.trimStart().startsWith("<system-reminder>"));
}

function toBlocks(content: Content): readonly Block[] {
  if (content === null || content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textsOf(content: Content): string[] {
  return toBlocks(content).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

function toInput(content: Content): InputBlock[] {
  return toBlocks(content).flatMap((block): readonly InputBlock[] => {
    if (block.type === "attached") return block.blocks;
    return block.type === "text" ? toText(block.text) : [];
  });
}

function toAssistantBlock(block: Block): (TextBlock | ThinkingBlock | CallBlock)[] {
  switch (block.type) {
    case "text":
      return toText(block.text);
    case "thinking": {
      const { thinking: text, signature } = block;
      if (text === "") return [];
      return [{ type: "thinking", text, ...(signature && signature !== OWN_SIGNATURE && { signature }) }];
    }
    case "tool_use":
      return [{ type: "call", id: block.id, name: block.name, input: JSON.stringify(block.input ?? {}) }];
    case "attached":
    case "tool_result":
    case "redacted_thinking":
    case "left-out":
      return [];
  }
}

function toText(text: string): TextBlock[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function strangersIn(content: Content): string[] {
  return toBlocks(content).flatMap((block) => {
    if (block.type === "tool_result") return strangersIn(block.content);
    return block.type === "left-out" ? [block.name] : [];
  });
}
