import type { ChatMessage } from "../../testing/clients/tool-client.js";
import type { Edit } from "./random-conversation.js";

/** Edits the history as users do. It must end with a finished turn. */
export function editHistory(messages: ChatMessage[], edit: Edit): void {
  const isUser = ({ role }: ChatMessage) => role === "user";
  switch (edit) {
    case "reworded": {
      const last = messages.findLast((message) => message.role === "assistant" && message.content !== null);
      if (last?.role === "assistant") last.content = `${last.content} (edited)`;
      break;
    }
    case "forgotten": {
      const second = messages.findIndex((message, index) => index > 0 && isUser(message));
      if (second > 0) messages.splice(0, second);
      break;
    }
    case "undone":
      messages.splice(messages.findLastIndex(isUser));
  }
}
