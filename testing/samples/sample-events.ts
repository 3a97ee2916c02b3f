import type { TurnResult } from "../../packages/gateway/turn/collect.js";
import type { FinishReason, TurnEvent, Usage } from "../../packages/gateway/turn/event.js";
import { sampleUsage } from "./sample-usage.js";

export const said = (delta: string): TurnEvent => ({ type: "text", delta });

export const thought = (delta: string, signature?: string): TurnEvent => ({
  type: "thinking",
  delta,
  ...(signature !== undefined && { signature }),
});

export const beginCall = (id: string, name: string): TurnEvent => ({ type: "call", id, name, runs: "client" });
export const callInput = (id: string, delta: string): TurnEvent => ({ type: "call-input", id, delta });
export const endCall = (id: string): TurnEvent => ({ type: "call-end", id });

/** A call of the client's, with its arguments in these pieces. */
export const call = (id: string, name: string, ...deltas: string[]): TurnEvent[] => [
  beginCall(id, name),
  ...deltas.map((delta) => callInput(id, delta)),
  endCall(id),
];

/** A call that the gateway runs itself, which clients do not see. */
export const ownCall: readonly TurnEvent[] = [
  { type: "call", id: "own", name: "search", runs: "gateway" },
  callInput("own", '{"q":1}'),
  endCall("own"),
  { type: "call-result", id: "own", summary: "found" },
];

export const counted = (changes: Partial<Usage> = {}): TurnEvent => ({
  type: "usage",
  usage: { ...sampleUsage, ...changes },
});

export const finished = (reason: FinishReason = "stop"): TurnEvent => ({ type: "finish", reason });

/** Texts that need escapes in JSON, or are not valid text by themselves. */
export const oddTexts = ["Hello", 'q"uo\\te', "\u0000\u0001\u001f\n\r\t", "\ud83d", "\u2028\u2029", "Grüße 🦆"];

/** A whole reply that says this and no more. */
export function sampleResult(text: string, changes: Partial<TurnResult> = {}): TurnResult {
  const said = { blocks: [{ type: "text" as const, text }], text, thinking: "", calls: [] };
  return { ...said, usage: undefined, finish: "stop", stopSequence: undefined, ...changes };
}
