import { postJson } from "./post-json.js";

/** A small Messages client with its own tools, for whole conversations as Claude Code has them. */
export interface MessagesAnswer {
  content: Block[];
  text: string;
  uses: ToolUse[];
  stop: string | null;
  usage: Record<string, number>;
  continuity: string;
}

export type Block = { type: string; [field: string]: unknown };
export type ToolUse = { type: "tool_use"; id: string; name: string; input: unknown };
export interface Message {
  role: "user" | "assistant" | "system";
  content: string | Block[];
}

export async function ask(url: string, messages: readonly Message[], fields: object = {}): Promise<MessagesAnswer> {
  const response = await postJson(
    `${url}/v1/messages?beta=true`,
    { model: "auto", max_tokens: 32_000, stream: true, messages, ...fields },
    { "anthropic-version": "2023-06-01", "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14" },
  );
  const raw = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${raw}`);
  const continuity = response.headers.get("x-curlew-continuity") ?? "";
  const message = readStream(raw);
  return {
    ...message,
    text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    uses: message.content.filter((block): block is ToolUse => block.type === "tool_use"),
    continuity,
  };
}

export const result = (use: ToolUse | undefined, content: unknown): Block => ({
  type: "tool_result",
  tool_use_id: use?.id,
  content,
});

/** Assembles the blocks, and is strict about their order. */
function readStream(raw: string): Pick<MessagesAnswer, "content" | "stop" | "usage"> {
  const content: Block[] = [];
  let [json, stop, isOpen] = ["", null as string | null, false];
  let usage = {};
  for (const line of raw.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    const block = content.at(-1) ?? { type: "none" };
    switch (event.type) {
      case "content_block_start":
        if (isOpen || event.index !== content.length) throw new Error(`a block begins out of turn: ${line}`);
        isOpen = true;
        json = "";
        content.push({ ...event.content_block });
        break;
      case "content_block_delta": {
        if (!isOpen || event.index !== content.length - 1) throw new Error(`a delta of no open block: ${line}`);
        const { text, thinking, signature, partial_json } = event.delta;
        if (text !== undefined) block.text += text;
        if (thinking !== undefined) block.thinking += thinking;
        if (signature !== undefined) block.signature = signature;
        json += partial_json ?? "";
        break;
      }
      case "content_block_stop":
        if (block.type === "tool_use") block.input = JSON.parse(json);
        isOpen = false;
        break;
      case "message_delta":
        stop = event.delta.stop_reason;
        usage = event.usage;
        break;
      case "error":
        throw new Error(line);
    }
  }
  if (isOpen || !raw.includes("event: message_stop\n")) throw new Error("the stream has no end");
  return { content, stop, usage };
}
