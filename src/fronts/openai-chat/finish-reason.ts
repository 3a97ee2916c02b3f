import type { FinishReason } from "../../turn/event.js";

type ChatFinishReason = "stop" | "tool_calls" | "length" | "content_filter";

export function toFinishReason(reason: FinishReason): ChatFinishReason {
  switch (reason) {
    case "stop":
      return "stop";
    case "tool-calls":
      return "tool_calls";
    case "length":
      return "length";
    case "filtered":
      return "content_filter";
  }
}
