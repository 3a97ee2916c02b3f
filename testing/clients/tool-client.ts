import { postJson } from "./post-json.js";

/** A small Chat Completions client with its own tools, for whole conversations. */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export type ChatMessage =
  | { role: "system" | "user"; content: string | readonly object[] }
  | { role: "assistant"; content: string | null; tool_calls?: ToolCall[] }
  | { role: "tool"; tool_call_id: string; content: unknown };

export interface ChatAnswer {
  message: Extract<ChatMessage, { role: "assistant" }>;
  calls: ToolCall[];
  text: string;
  finish: string;
  continuity: string;
  usage:
    | { prompt_tokens: number; completion_tokens: number; prompt_tokens_details: { cached_tokens: number } }
    | undefined;
}

export interface ChatExtras {
  stream?: boolean;
  key?: string;
  /** Headers beside those that every request has. */
  headers?: Readonly<Record<string, string>>;
  [field: string]: unknown;
}

export const tool = (name: string, properties: Record<string, unknown> = {}) => ({
  type: "function" as const,
  function: { name, description: `The tool ${name}.`, parameters: { type: "object", properties } },
});

class ChatError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: { code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function chat(
  url: string,
  messages: readonly ChatMessage[],
  extras: ChatExtras = {},
): Promise<ChatAnswer> {
  const { key, headers, stream = true, ...fields } = extras;
  const response = await postJson(
    `${url}/v1/chat/completions`,
    {
      model: "auto",
      messages,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      ...fields,
    },
    { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
  );
  const raw = await response.text();
  if (!response.ok) throw new ChatError(response.status, JSON.parse(raw).error);
  const continuity = response.headers.get("x-curlew-continuity") ?? "";
  return stream ? fromStream(raw, continuity) : fromWhole(JSON.parse(raw), continuity);
}

interface WholeBody {
  choices: [{ message: { content: string | null; tool_calls?: ToolCall[] }; finish_reason: string }];
  usage: ChatAnswer["usage"];
}

function fromWhole(body: WholeBody, continuity: string): ChatAnswer {
  const { message, finish_reason } = body.choices[0];
  return answer(message.content ?? "", message.tool_calls ?? [], finish_reason, continuity, body.usage);
}

function fromStream(raw: string, continuity: string): ChatAnswer {
  let text = "";
  let finish = "";
  let usage: ChatAnswer["usage"];
  const calls: ToolCall[] = [];
  for (const line of raw.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const chunk = JSON.parse(line.slice(6));
    if (chunk.error !== undefined) throw new ChatError(200, chunk.error);
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    text += choice.delta.content ?? "";
    finish = choice.finish_reason ?? finish;
    for (const delta of choice.delta.tool_calls ?? []) {
      calls[delta.index] ??= { id: delta.id, type: "function", function: { name: delta.function.name, arguments: "" } };
      (calls[delta.index] as ToolCall).function.arguments += delta.function.arguments ?? "";
    }
  }
  return answer(text, calls, finish, continuity, usage);
}

function answer(
  text: string,
  calls: ToolCall[],
  finish: string,
  continuity: string,
  usage: ChatAnswer["usage"],
): ChatAnswer {
  const message = { role: "assistant" as const, content: text || null, ...(calls.length > 0 && { tool_calls: calls }) };
  return { message, calls, text, finish, continuity, usage };
}

export const user = (content: string | readonly object[]): ChatMessage => ({ role: "user", content });

export const result = (call: ToolCall | undefined, content: unknown): ChatMessage => ({
  role: "tool",
  tool_call_id: call?.id ?? "",
  content,
});
