import type { GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toOpenAiError } from "../parts/openai-error.js";

export function writeError(error: GatewayError): WrittenError {
  const body = { error: toOpenAiError(error) };
  return { status: body.error.status, body, frame: `data: ${JSON.stringify(body)}\n\n` };
}
