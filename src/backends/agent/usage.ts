import type { TurnEndedUpdate } from "../../gen/agent_v1_pb.js";
import type { Usage } from "../../turn/event.js";
import type { Turn } from "../../turn/turn.js";

/** The wire's `input_tokens` is taken to count cache reads too. One place to turn if that proves wrong. */
const INPUT_INCLUDES_CACHE_READS = true;
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_000;

/** What the turn cost by Cursor's own count; undefined when it does not say. */
export function measuredUsage(ended: TurnEndedUpdate): Usage | undefined {
  if (ended.inputTokens === undefined && ended.outputTokens === undefined) return undefined;
  const cacheReadTokens = Number(ended.cacheReadTokens ?? 0n);
  return {
    inputTokens: Number(ended.inputTokens ?? 0n) + (INPUT_INCLUDES_CACHE_READS ? 0 : cacheReadTokens),
    outputTokens: Number(ended.outputTokens ?? 0n),
    cacheReadTokens,
    cacheWriteTokens: Number(ended.cacheWriteTokens ?? 0n),
    reasoningTokens: Number(ended.reasoningTokens ?? 0n),
    estimated: false,
  };
}

/** A guess from lengths at what the model reads. */
export function estimatedInput(turn: Turn): number {
  let characters = turn.system.length;
  let images = 0;
  for (const message of turn.messages) {
    const blocks = message.role === "tool" ? message.results.flatMap((result) => result.content) : message.content;
    for (const block of blocks) {
      if (block.type === "text" || block.type === "thinking") characters += block.text.length;
      else if (block.type === "call") characters += block.name.length + block.input.length;
      else images++;
    }
  }
  return tokens(characters) + images * TOKENS_PER_IMAGE;
}

/** For what Cursor gives no figures for. */
export function estimatedUsage(inputTokens: number, outputBytes: number): Usage {
  return {
    inputTokens,
    outputTokens: tokens(outputBytes),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
