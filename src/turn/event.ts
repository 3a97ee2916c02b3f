import type { CallBlock } from "./blocks.js";

export interface Usage {
  /**
   * Everything the model read, cache reads and writes included. For a reply this is what its last model call read, because clients
   * take it for the size of their context. For a turn it is the sum of all model calls.
   */
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
  /** The result of a tool that the gateway or the backend ran. */
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

export type CheckpointEvent = Extract<TurnEvent, { type: "checkpoint" }>;

type AskableCall = Omit<CallBlock, "type"> & { upstreamId: string };

/** The events of one upstream chunk; never empty. */
export type Batch = readonly TurnEvent[];

export type TurnEvents = AsyncIterable<Batch>;

/** A synchronous function over the batches of a reply. */
export interface Step {
  /** Returns the same array when nothing changes, an empty one when everything is held back. */
  push(batch: Batch): Batch;
  /** Returns what is still held back when a reply breaks off without a finish. */
  end?(): Batch;
}
