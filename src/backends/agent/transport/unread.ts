import { GatewayError } from "../../../turn/error.js";

/** Of what we say, not yet taken by the server. Above this, nothing more is read: what the server says is what makes us answer. */
export const FULL_BYTES = 8 * 1024 * 1024;
/** No conversation comes near it; a server that asks for more than this at once is not to be satisfied. */
export const MAX_HELD_BYTES = 128 * 1024 * 1024;

export function askedTooMuch(): GatewayError {
  const text = "Cursor asks for more content at once than can be sent to it. Start a new conversation.";
  return new GatewayError("upstream_error", text);
}
