export type ReplyUsage = ReturnType<typeof usageOf>;

export type ChunkPart =
  /** The first chunk, which only has the role. */
  | { readonly type: "start" }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "thinking"; readonly delta: string }
  | {
      readonly type: "call";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly argumentsDelta: string;
    }
  | { readonly type: "finish"; readonly reason: string }
  | { readonly type: "usage"; readonly reply: ReplyUsage; readonly turn: ReplyUsage | undefined }
  | { readonly type: "problem"; readonly message: string; readonly code: string | undefined }
  | { readonly type: "done" };

/** Parses an event of a chat completion. Ignores unknown fields, which the raw events show. */
export function readChunk(data: string): ChunkPart[] {
  if (data === "[DONE]") return [{ type: "done" }];
  const chunk = parsed(data);
  const error = fieldsOf(chunk.error);
  if (chunk.error !== undefined && chunk.error !== null) {
    const message = textOf(error.message) || "The gateway reported an error without a message.";
    return [{ type: "problem", message, code: textOf(error.code) || undefined }];
  }
  return [...listOf(chunk.choices).slice(0, 1).flatMap(readChoice), ...readUsage(chunk.usage)];
}

function readChoice(choice: unknown): ChunkPart[] {
  const { delta, finish_reason } = fieldsOf(choice);
  const { role, content, reasoning_content, tool_calls } = fieldsOf(delta);
  const parts: ChunkPart[] = [];
  if (textOf(reasoning_content) !== "") parts.push({ type: "thinking", delta: textOf(reasoning_content) });
  if (textOf(content) !== "") parts.push({ type: "text", delta: textOf(content) });
  parts.push(...listOf(tool_calls).map(readCall));
  if (textOf(finish_reason) !== "") parts.push({ type: "finish", reason: textOf(finish_reason) });
  return parts.length === 0 && textOf(role) !== "" ? [{ type: "start" }] : parts;
}

function readCall(call: unknown): ChunkPart {
  const { index, id, function: called } = fieldsOf(call);
  const { name, arguments: delta } = fieldsOf(called);
  return { type: "call", index: countOf(index), id: textOf(id), name: textOf(name), argumentsDelta: textOf(delta) };
}

function readUsage(usage: unknown): ChunkPart[] {
  if (usage === undefined || usage === null) return [];
  const { prompt_tokens, completion_tokens, prompt_tokens_details, curlew_turn } = fieldsOf(usage);
  const turn = fieldsOf(curlew_turn);
  const reply = usageOf(prompt_tokens, fieldsOf(prompt_tokens_details).cached_tokens, completion_tokens);
  const ofTurn = usageOf(turn.input_tokens, turn.cache_read_tokens, turn.output_tokens);
  return [{ type: "usage", reply, turn: curlew_turn === undefined ? undefined : ofTurn }];
}

function usageOf(input: unknown, cached: unknown, output: unknown) {
  return { inputTokens: countOf(input), cachedTokens: countOf(cached), outputTokens: countOf(output) };
}

export function parsed(json: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
