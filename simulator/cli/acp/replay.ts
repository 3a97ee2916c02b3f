import type { AssistantPart, Entry } from "../../model/transcript.js";

/** The updates that replay a conversation. */
export function replay(entries: readonly Entry[]): object[] {
  return entries.flatMap((entry) => {
    switch (entry.role) {
      case "user":
        return [chunk("user_message_chunk", entry.text)];
      case "assistant":
        return entry.parts.map(replayPart);
      case "tool":
        return entry.results.map(({ toolCallId }) => {
          return { sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: { success: true } };
        });
      default:
        return [];
    }
  });
}

function replayPart(part: AssistantPart): object {
  if (part.type === "text") return chunk("agent_message_chunk", part.text);
  if (part.type === "reasoning") return chunk("agent_thought_chunk", part.text);
  const { toolCallId, toolName: title, args: rawInput } = part;
  return { sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "pending", rawInput };
}

function chunk(sessionUpdate: string, text: string): object {
  return { sessionUpdate, content: { type: "text", text } };
}
