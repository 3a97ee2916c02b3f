import type { ToolResult } from "../../turn/blocks.js";
import type { AssistantMessage, Message } from "../../turn/turn.js";
import { answeredIn } from "./checkpoints.js";

/** Returns each call once, and all but those at the end with results: a model waits for an open call, or repeats it. */
export function mendTranscript(messages: readonly Message[]): readonly Message[] {
  if (messages.every(({ role }) => role === "user")) return messages; // as in most turns that resume from a checkpoint
  return closeAbandonedCalls(foldRepeatedCalls(messages));
}

/** A client that sent only some results was sent the missing calls again, and may have kept that message. */
function foldRepeatedCalls(messages: readonly Message[]): readonly Message[] {
  const seenCalls = new Set<string>();
  const folded: Message[] = [];
  /** The results of the newest message, if it was joined from several. */
  let results: ToolResult[] | undefined;
  for (const message of messages) {
    const last = folded.at(-1);
    if (message.role === "tool" && last?.role === "tool") {
      if (results === undefined) {
        results = [...last.results];
        folded[folded.length - 1] = { role: "tool", results };
      }
      for (const result of message.results) results.push(result);
      continue;
    }
    if (message.role !== "assistant") {
      folded.push(message);
      results = undefined;
      continue;
    }
    const content = message.content.filter((block) => block.type !== "call" || !seenCalls.has(block.id));
    for (const block of content) if (block.type === "call") seenCalls.add(block.id);
    if (content.length === 0) continue;
    folded.push(content.length === message.content.length ? message : { ...message, content });
    results = undefined;
  }
  return folded;
}

function closeAbandonedCalls(messages: readonly Message[]): readonly Message[] {
  const answered = answeredIn(messages);
  return messages.flatMap((message, at): Message[] => {
    if (message.role !== "assistant" || at === messages.length - 1) return [message];
    const results = notRun(message, answered);
    return results.length === 0 ? [message] : [message, { role: "tool", results }];
  });
}

function notRun({ content }: AssistantMessage, answered: ReadonlySet<string>): ToolResult[] {
  const open = content.filter((block) => block.type === "call").filter(({ id }) => !answered.has(id));
  const text = "The call was not run: the user went on without it.";
  return open.map(({ id }) => ({ callId: id, content: [{ type: "text", text }], isError: true }));
}
