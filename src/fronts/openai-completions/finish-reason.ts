import type { FinishReason } from "../../turn/event.js";

/** This API has no word for calls, and offers no tools that could be called. */
export function toFinishReason(reason: FinishReason): "stop" | "length" | "content_filter" {
  switch (reason) {
    case "stop":
    case "tool-calls":
      return "stop";
    case "length":
      return "length";
    case "filtered":
      return "content_filter";
  }
}
