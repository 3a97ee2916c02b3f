import { GatewayError } from "../../turn/error.js";
import type { ResponsesRequest } from "./schema.js";

/** Wishes that change what an answer is, so that no warning could make up for leaving them out. */
export function refuseUnsupported({ background, conversation, prompt }: ResponsesRequest): void {
  if (background === true) {
    throw unsupported("background", "responses are not made in the background here; use stream: true for long ones");
  }
  if (conversation !== undefined && conversation !== null) {
    throw unsupported("conversation", "there are no conversation objects here; use previous_response_id");
  }
  if (prompt !== undefined && prompt !== null) {
    throw unsupported("prompt", "prompts that are stored at OpenAI cannot be used here; send instructions and input");
  }
}

function unsupported(param: string, reason: string): GatewayError {
  return new GatewayError("unsupported_parameter", `${param}: ${reason}.`, { param });
}
