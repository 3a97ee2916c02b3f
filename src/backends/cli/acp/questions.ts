import { isClientTool } from "./decode.js";
import { field, list, text } from "./fields.js";

/**
 * What the CLI hears when it asks the person in front of it. There is nobody: the client's own tools may be used, all
 * else is declined. An unanswered question would hold up the turn, an error can end it.
 */
export function answerQuestion(method: string, params: unknown): unknown {
  switch (method) {
    case "session/request_permission":
      return permission(params);
    case "cursor/ask_question":
      return { outcome: { outcome: "cancelled" } };
    case "cursor/create_plan":
      return { outcome: { outcome: "rejected" } };
    default:
      return method.startsWith("cursor/") ? {} : undefined;
  }
}

function permission(params: unknown): unknown {
  const kind = isClientTool(field(params, "toolCall")) ? "allow_once" : "reject_once";
  const option = list(params, "options").find((each) => text(each, "kind") === kind);
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: text(option, "optionId") } };
}
