import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { APIError as OpenAIError } from "openai";
import { z } from "zod";

export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly continuity: string;
  readonly promptTokens: number;
}

/** A failed turn as the user sees it. */
export class Failed extends Error {
  override readonly name = "Failed";
  /** Undefined if the answer had begun. */
  readonly status: number | undefined;
  readonly code: string;
  /** The text before the error. */
  readonly said: string;

  constructor(status: number | undefined, code: string, message: string, said: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.said = said;
  }
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly schema?: Record<string, unknown>;
}

export interface TalkOptions {
  readonly model?: string;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Earlier turns from elsewhere: the user's words and the answers. */
  readonly history?: readonly (readonly [words: string, answer: string])[];
}

/** A conversation through an official package: streamed, with its own retries. */
export interface Talk {
  /** @throws Failed */
  say(words: string): Promise<Answer>;
  /** Answers every open call with the same text. */
  giveResults(text: string): Promise<Answer>;
  /** Switches to another gateway. */
  moveTo(url: string): void;
}

export const packages = {
  openai: openaiTalk,
  "@anthropic-ai/sdk": anthropicTalk,
} as const satisfies Record<string, (url: string, options?: TalkOptions) => Talk>;

const noParameters = { type: "object" as const, properties: {} };

function openaiTalk(url: string, { model = "auto", system, tools = [], history = [] }: TalkOptions = {}): Talk {
  let client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused" });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  if (system !== undefined) messages.push({ role: "system", content: system });
  for (const [words, answer] of history) {
    messages.push({ role: "user", content: words }, { role: "assistant", content: answer });
  }
  const offered = tools.map(({ name, description = "", schema: parameters = noParameters }) => {
    return { type: "function" as const, function: { name, description, parameters } };
  });

  async function ask(): Promise<Answer> {
    let text = "";
    let promptTokens = 0;
    const calls: { id: string; name: string; input: string }[] = [];
    const body = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    try {
      const request = client.chat.completions.create({ ...body, ...(offered.length > 0 && { tools: offered }) });
      const { data, response } = await request.withResponse();
      for await (const { choices, usage } of data) {
        promptTokens = usage?.prompt_tokens ?? promptTokens;
        text += choices[0]?.delta.content ?? "";
        for (const { index, id, function: called } of choices[0]?.delta.tool_calls ?? []) {
          const call = calls[index] ?? { id: id ?? "", name: called?.name ?? "", input: "" };
          calls[index] = { ...call, input: call.input + (called?.arguments ?? "") };
        }
      }
      messages.push({
        role: "assistant",
        content: text,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input }) => {
            return { id, type: "function" as const, function: { name, arguments: input } };
          }),
        }),
      });
      const parsed = calls.map(({ id, name, input }) => ({ id, name, input: JSON.parse(input) as unknown }));
      return { text, calls: parsed, continuity: response.headers.get("x-curlew-continuity") ?? "", promptTokens };
    } catch (thrown) {
      if (!(thrown instanceof OpenAIError)) throw thrown;
      throw new Failed(thrown.status, thrown.code ?? "", thrown.message, text);
    }
  }

  return {
    say(content) {
      messages.push({ role: "user", content });
      return ask();
    },
    giveResults(content) {
      const newest = messages.at(-1);
      const open = newest?.role === "assistant" ? (newest.tool_calls ?? []) : [];
      for (const { id } of open) messages.push({ role: "tool", tool_call_id: id, content });
      return ask();
    },
    moveTo(other) {
      client = new OpenAI({ baseURL: `${other}/v1`, apiKey: "unused" });
    },
  };
}

/** The body of an error, as the package passes it on. */
const ErrorBody = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

function anthropicTalk(url: string, { model = "auto", system, tools = [], history = [] }: TalkOptions = {}): Talk {
  let client = new Anthropic({ baseURL: url, apiKey: "unused" });
  const messages: Anthropic.MessageParam[] = history.flatMap(([words, answer]) => [
    { role: "user" as const, content: words },
    { role: "assistant" as const, content: answer },
  ]);
  const offered = tools.map(({ name, description = "", schema = noParameters }) => {
    return { name, description, input_schema: { ...schema, type: "object" as const } };
  });

  async function ask(): Promise<Answer> {
    let text = "";
    let promptTokens = 0;
    const calls: { id: string; name: string; json: string }[] = [];
    const body = { model, max_tokens: 10_000, messages, stream: true as const };
    try {
      const request = client.messages.create({
        ...body,
        ...(system !== undefined && { system }),
        ...(offered.length > 0 && { tools: offered }),
      });
      const { data, response } = await request.withResponse();
      for await (const event of data) {
        if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
          calls.push({ id: event.content_block.id, name: event.content_block.name, json: "" });
        } else if (event.type === "content_block_delta") {
          const call = calls.at(-1);
          if (event.delta.type === "text_delta") text += event.delta.text;
          if (event.delta.type === "input_json_delta" && call !== undefined) call.json += event.delta.partial_json;
        } else if (event.type === "message_delta") {
          const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = event.usage;
          promptTokens = (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
        }
      }
      const parsed = calls.map(({ id, name, json }) => ({ id, name, input: JSON.parse(json || "{}") as unknown }));
      const content: Anthropic.ContentBlockParam[] = text === "" ? [] : [{ type: "text", text }];
      messages.push({ role: "assistant", content: [...content, ...parsed.map(toUse)] });
      return { text, calls: parsed, continuity: response.headers.get("x-curlew-continuity") ?? "", promptTokens };
    } catch (thrown) {
      if (!(thrown instanceof AnthropicError)) throw thrown;
      const { error } = ErrorBody.parse(thrown.error);
      throw new Failed(thrown.status, error.code, error.message, text);
    }
  }

  return {
    say(content) {
      messages.push({ role: "user", content });
      return ask();
    },
    giveResults(content) {
      const { content: newest = [] } = messages.at(-1) ?? {};
      const uses = typeof newest === "string" ? [] : newest.filter((block) => block.type === "tool_use");
      const results = uses.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content }));
      messages.push({ role: "user", content: results });
      return ask();
    },
    moveTo(other) {
      client = new Anthropic({ baseURL: other, apiKey: "unused" });
    },
  };
}

function toUse({ id, name, input }: Answer["calls"][number]): Anthropic.ToolUseBlockParam {
  return { type: "tool_use", id, name, input };
}
