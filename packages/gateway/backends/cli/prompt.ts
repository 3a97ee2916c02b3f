import type { ContentBlock } from "@agentclientprotocol/sdk";
import { joinText, type SentBlock, type SentResult } from "../../turn/blocks.js";
import type { AssistantMessage, SentMessage, SentTurn, ToolDefinition } from "../../turn/turn.js";
import { framed, withoutTags } from "../cursor/transcript-frames.js";
import { SERVER_NAME } from "./mcp/approvals.js";

const WITHOUT_WORKSPACE =
  "Answer directly, in the conversation below. There is no workspace and there are no files: use none of your built-in tools.";
const IN_WORKSPACE = "Answer in the conversation below. You may look at the files of the workspace; change nothing.";

/** The conversation as one text, as the CLI takes it. No part can contain its own closing tag. Equal messages give equal text, for Cursor's cache. */
export function renderPrompt({ system, messages, tools, workspace }: SentTurn): string {
  const parts = [workspace === undefined ? WITHOUT_WORKSPACE : IN_WORKSPACE];
  if (system !== "") parts.push(framed("system", system));
  if (tools.length > 0) parts.push(renderTools(tools));
  if (messages.length > 1) parts.push("The conversation so far, with what is to be answered at its end:");
  parts.push(...messages.map(renderMessage).filter((part) => part !== ""));
  return parts.join("\n\n");
}

export function blocksOf(message: SentMessage): readonly SentBlock[] {
  switch (message.role) {
    case "user":
      return message.content;
    case "tool":
      return message.results.flatMap(({ content }) => content);
    case "assistant":
      return [];
  }
}

/** For CLIs that offer no better way to pass tools. */
function renderTools(tools: readonly ToolDefinition[]): string {
  const list = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  return `${framed("tools", list.join("\n"))}

These tools are run by the user, for you. To call one, end your answer with a line such as
<tool_call>{"name": "the name", "arguments": {}}</tool_call>
and nothing behind it; several calls are several lines. The results come back in tool_result tags. Never write a result yourself.`;
}

function renderMessage(message: SentMessage): string {
  switch (message.role) {
    case "user":
      return framed("user", textOf(message.content));
    case "tool":
      return message.results.map(renderResult).join("\n");
    case "assistant":
      return message.content.flatMap(renderBlock).join("\n");
  }
}

function renderBlock(block: AssistantMessage["content"][number]): string[] {
  switch (block.type) {
    case "text":
      return [framed("assistant", block.text)];
    case "call": {
      const { id, name, input } = block;
      const call = `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"arguments":${input || "{}"}}`;
      return [`<tool_call>${withoutTags(call)}</tool_call>`];
    }
    case "thinking":
      return []; // models do not read each other's thinking
  }
}

function renderResult({ callId, content, isError }: SentResult): string {
  const id = withoutTags(callId).replaceAll('"', "&quot;");
  return `<tool_result id="${id}"${isError ? ' is_error="true"' : ""}>${withoutTags(textOf(content))}</tool_result>`;
}

function textOf(blocks: readonly SentBlock[]): string {
  return joinText(blocks.map((block) => (block.type === "image" ? { type: "text", text: "[an image]" } : block)));
}

export function openingPrompt(turn: SentTurn): ContentBlock[] {
  const prompt = renderPrompt({ ...turn, tools: [] });
  const names = turn.tools.map(({ name }) => name).join(", ");
  const note = `You have the tools of the MCP server "${SERVER_NAME}" and no others: ${names}. They are run by the user, for you.`;
  const text = turn.tools.length === 0 ? prompt : `${note}\n\n${prompt}`;
  return [{ type: "text", text }, ...images(turn.messages)];
}

/** The prompt for a session that knows the rest. Undefined where there is more to send than one new user message. */
export function nextPrompt({ messages }: SentTurn): ContentBlock[] | undefined {
  if (messages.length === 0 || messages.some(({ role }) => role !== "user")) return undefined;
  const text = messages.map((message) => joinText(blocksOf(message))).join("\n\n");
  return [{ type: "text", text }, ...images(messages)];
}

function images(messages: readonly SentMessage[]): ContentBlock[] {
  return messages.flatMap(blocksOf).flatMap((block): ContentBlock[] => {
    if (block.type !== "image") return [];
    return [{ type: "image", mimeType: block.mimeType, data: Buffer.from(block.data).toString("base64") }];
  });
}
