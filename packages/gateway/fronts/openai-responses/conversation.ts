import { type CallBlock, type InputBlock, joinText, type TextBlock, type ThinkingBlock } from "../../turn/blocks.js";
import { perObject } from "../../turn/per-object.js";
import { ConversationBuilder } from "../parts/conversation-builder.js";
import { writeCustomInput } from "../parts/custom-tool.js";
import type { LeftOut } from "../parts/request-schema.js";
import type { Item } from "./item-schema.js";
import { openSeal } from "./items/output-item.js";
import type { ToolNames } from "./tools.js";

interface ConversationOf {
  readonly items: readonly Item[];
  readonly instructions: string;
  readonly names: ToolNames;
  readonly isWarmUp: boolean;
}

export function toConversation({ items, instructions, names, isWarmUp }: ConversationOf) {
  const builder = new ConversationBuilder();
  const leftOut = new Set<string>();
  const callIds = new Map<string, string>();
  const toBlocks = (content: readonly (InputBlock | LeftOut)[]): InputBlock[] =>
    content.flatMap((block) => {
      if (block.type !== "left-out") return [block];
      leftOut.add(block.name);
      return [];
    });
  builder.system(instructions);
  for (const item of sinceCompaction(items)) {
    switch (item.type) {
      case "message":
        addMessage(builder, item.role, toBlocks(item.content));
        break;
      case "reasoning":
        builder.assistant(toThinking(item));
        break;
      case "function_call":
      case "custom_tool_call": {
        builder.assistant(callUnder(names.toUpstream(item), item));
        break;
      }
      case "published_call": {
        const { id, call_id, published, input } = item;
        if (id) callIds.set(id, call_id);
        const name = names.toUpstream({ name: published, published });
        builder.assistant([{ type: "call", id: call_id, name, input }]);
        break;
      }
      case "published_output":
        builder.result({
          callId: callIds.get(item.call_id) ?? item.call_id,
          content: item.output,
          isError: item.isError,
        });
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        builder.result({ callId: item.call_id, content: toBlocks(item.output), isError: false });
        break;
      case "additional_tools":
        break; // its tools are offered with the others
      case "compaction": {
        const summary = openSummary(item.encrypted_content);
        if (summary === undefined) leftOut.add("a compaction of another service");
        else builder.user([{ type: "text", text: `Summary of the conversation so far:\n\n${summary}` }]);
        break;
      }
      case "left-out":
        leftOut.add(item.name);
        break;
    }
  }
  // Instructions are never answered, so a request without an item has nothing to answer.
  if (items.some(isSystem) && !isWarmUp) builder.answerSystem();
  return { ...builder.build(), leftOut };
}

type Role = Extract<Item, { type: "message" }>["role"];

function addMessage(builder: ConversationBuilder, role: Role, blocks: readonly InputBlock[]): void {
  switch (role) {
    case "user":
      builder.user(blocks);
      break;
    case "assistant":
      builder.assistant(blocks.filter((block): block is TextBlock => block.type === "text"));
      break;
    case "system":
    case "developer":
      builder.system(joinText(blocks));
      break;
  }
}

type Call = Extract<Item, { type: "function_call" | "custom_tool_call" }>;

/** The last block of each call: it is the same object as before if the call has the same name. */
const callsOf = new WeakMap<Call, readonly [CallBlock]>();

function callUnder(name: string, call: Call): readonly [CallBlock] {
  const known = callsOf.get(call);
  if (known?.[0].name === name) return known;
  const input = call.type === "function_call" ? call.arguments || "{}" : writeCustomInput(call.input);
  const made = [{ type: "call", id: call.call_id, name, input }] as const;
  callsOf.set(call, made);
  return made;
}

const toThinking = perObject((item: Extract<Item, { type: "reasoning" }>): ThinkingBlock[] => {
  const parts = item.content?.length ? item.content : (item.summary ?? []);
  const text = parts.map((part) => part.text).join("\n\n");
  const signature = openSeal(item.encrypted_content);
  return text === "" ? [] : [{ type: "thinking", text, ...(signature !== undefined && { signature }) }];
});

const OWN = "curlew.summary.";

/** A summary as the `encrypted_content` of a compaction item. It is the client's own conversation, so it is not encrypted. */
export function sealSummary(summary: string): string {
  return OWN + Buffer.from(summary).toString("base64url");
}

/** Undefined if another service has sealed it. */
function openSummary(sealed: string): string | undefined {
  return sealed.startsWith(OWN) ? Buffer.from(sealed.slice(OWN.length), "base64url").toString() : undefined;
}

/** A summary replaces everything before it, except the instructions of the conversation. */
function sinceCompaction(items: readonly Item[]): readonly Item[] {
  const last = items.findLastIndex((item) => item.type === "compaction" && openSummary(item.encrypted_content));
  return items.filter((item, index) => index >= last || isSystem(item) || item.type === "additional_tools");
}

function isSystem(item: Item): boolean {
  return item.type === "message" && (item.role === "system" || item.role === "developer");
}
