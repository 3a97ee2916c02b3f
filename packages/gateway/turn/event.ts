import type { CallBlock } from "./blocks.js";

export interface Usage {
  /** All that the model read, with caches: in a reply's last model call, because clients take it for their context; in all calls of a turn. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** True when Cursor reported nothing and the figures are our own estimate. */
  estimated: boolean;
}

export type FinishReason = "stop" | "tool-calls" | "length" | "filtered";

export type TurnEvent =
  | { type: "text"; delta: string }
  | { type: "thinking"; delta: string; signature?: string }
  | { type: "call"; id: string; name: string; runs: "client" | "gateway" | "backend" }
  /** Inputs of two calls never interleave. */
  | { type: "call-input"; id: string; delta: string }
  | { type: "call-end"; id: string }
  | { type: "call-result"; id: string; summary: string }
  /** The usage of this reply. The last reply of a turn also has `turn`, the usage of the whole turn, which the ledger records. */
  | { type: "usage"; usage: Usage; turn?: Usage }
  /**
   * A checkpoint is for the gateway alone, which removes it before a front gets the batch. Staged means that the model waits for
   * results of calls. A run that resumes from there may ask for these calls again, even if they were answered in the meantime.
   * The last one of a turn, after which the model says nothing more, may come a while before the finish.
   */
  | {
      type: "checkpoint";
      state: Uint8Array;
      phase: "staged" | "settled";
      calls?: readonly AskableCall[];
      /** The conversation's id, where the backend has changed it since the run began. */
      conversationId?: string;
      isLast?: boolean;
    }
  /** Comes once, as the last event. */
  | { type: "finish"; reason: FinishReason; stopSequence?: string };

export type UsageEvent = Extract<TurnEvent, { type: "usage" }>;
export type CheckpointEvent = Extract<TurnEvent, { type: "checkpoint" }>;

type AskableCall = Omit<CallBlock, "type"> & { upstreamId: string };

/** The events of one upstream chunk; never empty. */
export type Batch = readonly TurnEvent[];

export type TurnEvents = AsyncIterable<Batch>;

export interface Step {
  /** Returns the same array when nothing changes, an empty one when everything is held back. */
  push(batch: Batch): Batch;
  /** Returns what is still held back when a reply breaks off without a finish. */
  end?(): Batch;
}

/** A batch with this text; an empty batch for empty text. */
export function toText(delta: string, type: "text" | "thinking" = "text"): Batch {
  return delta === "" ? [] : [{ type, delta }];
}

type WholeCall = Omit<CallBlock, "type"> & { runs?: Extract<TurnEvent, { type: "call" }>["runs"] };

export function toCall({ id, name, input, runs = "client" }: WholeCall): Batch {
  return [
    { type: "call", id, name, runs },
    { type: "call-input", id, delta: input },
    { type: "call-end", id },
  ];
}

/** The batch with some events replaced. Returns the same array when `replace` keeps every event. */
export function rewriteBatch(batch: Batch, replace: (event: TurnEvent) => Batch | "keep"): Batch {
  let rewritten: TurnEvent[] | undefined;
  let index = 0;
  for (const event of batch) {
    const replacement = replace(event);
    if (replacement !== "keep") {
      rewritten ??= batch.slice(0, index);
      rewritten.push(...replacement);
    } else if (rewritten !== undefined) {
      rewritten.push(event);
    }
    index++;
  }
  return rewritten ?? batch;
}

/** Clients judge by it how full their context is. Cursor reports no caches for the last call, so the whole turn's share is assumed. */
export function usageInContext(turn: Usage, contextTokens: number): Usage {
  const inputTokens = Math.min(turn.inputTokens, contextTokens);
  const share = turn.inputTokens === 0 ? 0 : inputTokens / turn.inputTokens;
  const cacheReadTokens = Math.min(inputTokens, Math.round(turn.cacheReadTokens * share));
  const cacheWriteTokens = Math.min(inputTokens - cacheReadTokens, Math.round(turn.cacheWriteTokens * share));
  return { ...turn, inputTokens, cacheReadTokens, cacheWriteTokens };
}

/** The same when Cursor does not report the context: the mean of all calls, or our own estimate if that is larger. */
export function usageOfLastCall(turn: Usage, modelCalls: number, estimatedTokens: number): Usage {
  if (modelCalls <= 1) return usageInContext(turn, turn.inputTokens);
  const meanTokens = Math.ceil(turn.inputTokens / modelCalls);
  return { ...usageInContext(turn, Math.max(meanTokens, estimatedTokens)), estimated: true };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    estimated: a.estimated || b.estimated,
  };
}
