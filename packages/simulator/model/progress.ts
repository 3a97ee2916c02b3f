import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Ask, Step } from "./script.js";
import { findTool, type Tool } from "./tools.js";
import type { Entry, ToolCall } from "./transcript.js";

/** A question, and its id if it was asked before. */
export interface RepeatedAsk {
  ask: Ask;
  id?: string;
}

interface Progress {
  /** Questions of the last started step that have no answer yet. */
  asks: RepeatedAsk[];
  /** The first step that has not started. */
  next: number;
}

/**
 * How far a script has got, by the calls and results after the newest user message. The client may have rebuilt the transcript,
 * so calls are recognised by name and arguments, else by name.
 */
export function nextAsks(steps: readonly Step[], turn: readonly Entry[], tools: readonly Tool[]): Progress {
  const calls = turn
    .flatMap((entry) => (entry.role === "assistant" ? entry.parts : []))
    .filter((part) => part.type === "tool-call");
  const answered = new Set(
    turn.flatMap((entry) => (entry.role === "tool" ? entry.results : [])).map(({ toolCallId }) => toolCallId),
  );
  const scripted = steps.flatMap((step) => (step.type === "asks" ? step.asks : []));
  const matched = matchAsks(scripted, calls, tools);

  const last = steps.findLastIndex((step) => step.type === "asks" && step.asks.some((ask) => matched.has(ask)));
  const begun = steps[last];
  if (begun?.type !== "asks") return { asks: [], next: 0 };
  const asks = begun.asks.flatMap((ask): RepeatedAsk[] => {
    const call = matched.get(ask);
    if (call === undefined) return [{ ask }];
    return answered.has(call.toolCallId) ? [] : [{ ask, id: call.toolCallId }];
  });
  return { asks, next: last + 1 };
}

function matchAsks(asks: readonly Ask[], calls: readonly ToolCall[], tools: readonly Tool[]): Map<Ask, ToolCall> {
  const matched = new Map<Ask, ToolCall>();
  const free = new Set(calls);
  const take = (isMatch: (ask: Ask, call: ToolCall) => boolean) => {
    for (const ask of asks) {
      if (matched.has(ask)) continue;
      const call = [...free].find((candidate) => isMatch(ask, candidate));
      if (call === undefined) continue;
      matched.set(ask, call);
      free.delete(call);
    }
  };
  const isNamed = (ask: Ask, call: ToolCall) => ask.label === (findTool(tools, call.toolName)?.name ?? call.toolName);
  take((ask, call) => isNamed(ask, call) && canonical(ask.args) === canonical(call.args));
  take(isNamed);
  return matched;
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  );
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
