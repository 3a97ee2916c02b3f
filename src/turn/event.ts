import type { CallBlock } from "./blocks.js";

export interface Usage {
  /**
   * Everything the model read, cache reads and writes included. Of a reply: what its last model call read, because clients take
   * it for how full their context is. Of a turn: the sum of all its model calls.
   */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** True when the wire told us nothing and the figures are our own guess. */
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
  /** Of a tool that the gateway or the backend ran. */
  | { type: "call-result"; id: string; summary: string }
  /** Of this reply. The last reply of a turn also tells what the whole turn took, which is what is booked. */
  | { type: "usage"; usage: Usage; turn?: Usage }
  /**
   * For the gateway alone; taken out before a front sees the batch. Staged: the model waits for results of calls. The calls
   * named here may be asked again by a run that goes on from there, also those that were answered in the meantime.
   */
  | { type: "checkpoint"; state: Uint8Array; phase: "staged" | "settled"; calls?: readonly AskableCall[] }
  /** Once, and last. */
  | { type: "finish"; reason: FinishReason; stopSequence?: string };

type AskableCall = Omit<CallBlock, "type"> & { upstreamId: string };

/** What one upstream chunk held; never empty. */
export type Batch = readonly TurnEvent[];

export type TurnEvents = AsyncIterable<Batch>;

/** A synchronous look at the batches of a reply. */
export interface Step {
  /** Returns the same array when nothing changes, an empty one when everything is held. */
  push(batch: Batch): Batch;
  /** What is still held when a reply breaks off without a finish. */
  end?(): Batch;
}
