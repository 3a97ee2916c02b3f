import { field, listField, textField } from "../../packages/gateway/turn/read-json.js";
import type { Answer, Call } from "../../testing/golden/dialect.js";

/** The text and calls of a whole reply in any dialect, without the strict checks of the dialects' judges. */
export function readReply(body: unknown): Answer {
  const error = field(body, "error");
  if (error !== undefined && error !== null) throw new Error(JSON.stringify(error));
  const message = field(listField(body, "choices")[0], "message");
  const parts = [...listField(body, "content"), ...listField(body, "output")];
  const spoken = parts.flatMap((part) => [part, ...listField(part, "content")]);
  const text = textField(message, "content") + spoken.map((part) => textField(part, "text")).join("");
  const calls = [...listField(message, "tool_calls").map(chatCall), ...parts.flatMap(ownCall)];
  return { text, thinking: "", calls, ending: calls.length > 0 ? "calls" : "stop" };
}

function chatCall(call: unknown): Call {
  const named = field(call, "function");
  return { id: textField(call, "id"), name: textField(named, "name"), input: textField(named, "arguments") };
}

function ownCall(part: unknown): Call[] {
  const name = textField(part, "name");
  switch (field(part, "type")) {
    case "tool_use":
      return [{ id: textField(part, "id"), name, input: JSON.stringify(field(part, "input")) }];
    case "function_call":
      return [{ id: textField(part, "call_id"), name, input: textField(part, "arguments") }];
    default:
      return [];
  }
}
