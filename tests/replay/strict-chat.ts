import { postJson } from "../../testing/clients/post-json.js";
import type { ChatMessage, ToolCall } from "../../testing/clients/tool-client.js";

/** The allowed outcomes of a request. Anything else breaks the contract and throws. */
export type ChatOutcome =
  | { kind: "reply"; text: string; calls: ToolCall[]; finish: string; continuity: string; promptTokens: number }
  /** An HTTP error without any part of an answer. `isHeld`: the breaker repeated an earlier error without asking Cursor. */
  | { kind: "refused"; status: number; code: string; retryAfterMs: number; isHeld: boolean }
  /** One error frame after a part of an answer. */
  | { kind: "broken"; text: string; calls: ToolCall[]; code: string }
  /** The client disconnected. */
  | { kind: "left" };

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools: readonly unknown[];
  stream: boolean;
  /** Disconnects after this many frames of a streamed answer. */
  leaveAfter?: number | undefined;
}

export class ContractBroken extends Error {}

/** Long enough to notice a dead stream and to retry a turn, on a busy machine. */
const HANG_MS = 60_000;

export async function strictChat(url: string, request: ChatRequest): Promise<ChatOutcome> {
  const { leaveAfter, ...body } = request;
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(HANG_MS)]);
  try {
    const response = await postJson(
      `${url}/v1/chat/completions`,
      {
        model: "auto",
        ...body,
        ...(body.stream && { stream_options: { include_usage: true } }),
      },
      {},
      signal,
    );
    const continuity = response.headers.get("x-curlew-continuity") ?? "";
    if (leaveAfter !== undefined && response.ok && body.stream) {
      const { raw, hasLeft } = await readFrames(response, leaveAfter);
      if (hasLeft) leaving.abort();
      return hasLeft ? { kind: "left" } : fromStream(raw, continuity);
    }
    const raw = await response.text();
    if (!response.ok) {
      const retryAfterMs = Number(response.headers.get("retry-after")) * 1_000;
      const isHeld = response.headers.get("x-curlew-breaker") === "open";
      return { kind: "refused", status: response.status, code: errorCode(JSON.parse(raw)), retryAfterMs, isHeld };
    }
    return body.stream ? fromStream(raw, continuity) : fromWhole(JSON.parse(raw), continuity);
  } catch (thrown) {
    if (signal.aborted) throw new ContractBroken(`no answer within ${HANG_MS} ms`);
    throw thrown;
  }
}

async function readFrames(response: Response, count: number): Promise<{ raw: string; hasLeft: boolean }> {
  const decoder = new TextDecoder();
  let raw = "";
  for await (const chunk of response.body ?? []) {
    raw += decoder.decode(chunk, { stream: true });
    if (raw.split("\n\n").length > count && !raw.includes("data: [DONE]")) return { raw, hasLeft: true };
  }
  return { raw, hasLeft: false };
}

function fromStream(raw: string, continuity: string): ChatOutcome {
  const calls: ToolCall[] = [];
  let text = "";
  let finish = "";
  let code: string | undefined;
  let promptTokens = 0;
  let isDone = false;
  for (const frame of raw.split("\n\n")) {
    if (frame === "" || frame.startsWith(":")) continue;
    if (isDone) throw new ContractBroken(`a frame behind the end: ${frame.slice(0, 200)}`);
    if (frame === "data: [DONE]") {
      isDone = true;
      continue;
    }
    const chunk = JSON.parse(frame.slice("data: ".length));
    if (code !== undefined) throw new ContractBroken(`a frame behind an error: ${frame.slice(0, 200)}`);
    if (chunk.error !== undefined) {
      if (finish !== "") throw new ContractBroken(`an error behind the finish: ${frame.slice(0, 200)}`);
      code = errorCode(chunk);
      continue;
    }
    promptTokens = chunk.usage?.prompt_tokens ?? promptTokens;
    const [choice] = chunk.choices;
    if (choice === undefined) continue;
    if (finish !== "") throw new ContractBroken(`a delta behind the finish: ${frame.slice(0, 200)}`);
    text += choice.delta.content ?? "";
    finish = choice.finish_reason ?? finish;
    for (const delta of choice.delta.tool_calls ?? []) addDelta(calls, delta);
  }
  if (code !== undefined) return { kind: "broken", text, calls, code };
  if (!isDone) throw new ContractBroken("a stream that just ends");
  return checkedReply(text, calls, finish, continuity, promptTokens);
}

interface CallDelta {
  index: number;
  id?: string;
  function: { name?: string; arguments?: string };
}

function addDelta(calls: ToolCall[], { index, id, function: { name, arguments: text = "" } }: CallDelta): void {
  const known = calls[index];
  if (known === undefined) {
    if (index !== calls.length || id === undefined || name === undefined)
      throw new ContractBroken("a call out of order");
    calls.push({ id, type: "function", function: { name, arguments: text } });
    return;
  }
  if (index !== calls.length - 1) throw new ContractBroken("arguments of two calls mixed");
  known.function.arguments += text;
}

interface WholeBody {
  choices: [{ message: { content: string | null; tool_calls?: ToolCall[] }; finish_reason: string }];
  usage: { prompt_tokens: number };
}

function fromWhole({ choices: [{ message, finish_reason }], usage }: WholeBody, continuity: string): ChatOutcome {
  return checkedReply(message.content ?? "", message.tool_calls ?? [], finish_reason, continuity, usage.prompt_tokens);
}

function checkedReply(
  text: string,
  calls: ToolCall[],
  finish: string,
  continuity: string,
  promptTokens: number,
): ChatOutcome {
  if (finish !== (calls.length > 0 ? "tool_calls" : "stop")) {
    throw new ContractBroken(`finish "${finish}" with ${calls.length} calls`);
  }
  if (new Set(calls.map(({ id }) => id)).size < calls.length) throw new ContractBroken("one id for two calls");
  return { kind: "reply", text, calls, finish, continuity, promptTokens };
}

function errorCode(body: { error?: { code?: unknown; message?: unknown } }): string {
  const { code, message } = body.error ?? {};
  if (typeof code !== "string" || typeof message !== "string") throw new ContractBroken("an error without a code");
  return code;
}
