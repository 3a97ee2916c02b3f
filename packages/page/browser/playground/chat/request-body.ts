import type { Picture } from "./picture.js";
import type { ChatTool } from "./tool.js";

export interface UserMessage {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface CallResult {
  readonly call: Call;
  readonly text: string;
}

interface Answer {
  readonly text: { readonly whole: string };
  readonly calls: readonly Call[];
}

export type Said<Reply extends Answer = Answer> =
  | { readonly by: "person"; readonly message: UserMessage }
  | { readonly by: "model"; readonly reply: Reply }
  | { readonly by: "tools"; readonly results: readonly CallResult[] };

type Part = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | readonly Part[] }
  | {
      role: "assistant";
      content: string | null;
      tool_calls?: readonly { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; tool_call_id: string; content: string };

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly reasoning_effort?: string;
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
}

export interface Asking {
  readonly model: string;
  /** Empty for the model's default. */
  readonly effort: string;
  readonly system: string;
  readonly tool: ChatTool | undefined;
}

export function toBody({ model, effort, system, tool }: Asking, said: readonly Said[]): ChatBody {
  const prompt: ChatMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return {
    model,
    messages: [...prompt, ...said.flatMap(toMessages)],
    ...(tool !== undefined && { tools: [tool] }),
    ...(effort !== "" && { reasoning_effort: effort }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessages(said: Said): ChatMessage[] {
  switch (said.by) {
    case "person":
      return [{ role: "user", content: toContent(said.message) }];
    case "model":
      return toAssistant(said.reply);
    case "tools":
      return said.results.map(({ call, text }) => ({ role: "tool", tool_call_id: call.id, content: text }));
  }
}

function toContent({ text, pictures }: UserMessage): string | Part[] {
  if (pictures.length === 0) return text;
  const images = pictures.map(({ dataUrl }): Part => ({ type: "image_url", image_url: { url: dataUrl } }));
  return text === "" ? images : [{ type: "text", text }, ...images];
}

/** Empty for a reply that failed or was stopped before it had any content. */
function toAssistant({ text: { whole: text }, calls }: Answer): ChatMessage[] {
  if (text === "" && calls.length === 0) return [];
  if (calls.length === 0) return [{ role: "assistant", content: text }];
  const tool_calls = calls.map((call) => ({
    id: call.id,
    type: "function" as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return [{ role: "assistant", content: text === "" ? null : text, tool_calls }];
}
