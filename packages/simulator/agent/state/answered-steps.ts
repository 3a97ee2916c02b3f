import { fromBinary, type JsonObject, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConversationStepSchema, type McpToolCall, type McpToolResult } from "@curlew/wire/gen/agent_v1_pb.js";
import type { ToolCall, ToolResult } from "../../model/transcript.js";

/** A call of the client's tool in the steps of a turn, and its result. */
interface AnsweredCall {
  call: ToolCall;
  result: ToolResult;
}

/** The calls with results among these steps, by message of the model: text or thinking between two calls begins another. */
export function answeredCalls(steps: readonly Uint8Array[]): AnsweredCall[][] {
  const messages: AnsweredCall[][] = [[]];
  for (const bytes of steps) {
    const { message } = fromBinary(ConversationStepSchema, bytes);
    if (message.case !== "toolCall") messages.push([]);
    else if (message.value.tool.case === "mcpToolCall")
      messages.at(-1)?.push(...answeredCall(message.value.tool.value));
  }
  return messages;
}

function answeredCall({ args, result }: McpToolCall): AnsweredCall[] {
  if (args === undefined || result === undefined) return [];
  const { toolCallId, toolName } = args;
  const values = Object.entries(args.args).map(([name, value]) => [name, toJson(ValueSchema, value)]);
  const read: JsonObject = Object.fromEntries(values);
  return [{ call: { toolCallId, toolName, args: read }, result: { toolCallId, toolName, result: textOf(result) } }];
}

function textOf({ result }: McpToolResult): string {
  switch (result.case) {
    case "success":
      return result.value.content
        .map(({ content }) => (content.case === "text" ? content.value.text : `[${content.case ?? "nothing"}]`))
        .join("\n");
    case "error":
    case "permissionDenied":
      return `error: ${result.value.error}`;
    case "rejected":
      return `rejected: ${result.value.reason}`;
    default:
      return "an empty result";
  }
}
