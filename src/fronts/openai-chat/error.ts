import type { GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toOpenAiError } from "../parts/openai-error.js";

export function writeError(error: GatewayError): WrittenError {
  const body = { error: toOpenAiError(error) };
  // No [DONE] behind it: that marks a whole answer, and this is a broken one. The official client throws at the error
  // and reads no further; others go by the end of the stream.
  return { status: body.error.status, body, frame: `data: ${JSON.stringify(body)}\n\n` };
}
