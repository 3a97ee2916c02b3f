import type { GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toOpenAiError } from "../parts/openai-error.js";
import { toResponse } from "./response.js";
import { toSettings } from "./settings.js";

export function writeError(error: GatewayError, requestId: string, nowMs: number): WrittenError {
  const written = toDialectError(error);
  // This is for a stream on which no response has begun. Strict clients require every field before they read the message.
  const head = { id: requestId, model: "unknown", createdMs: nowMs };
  const response = toResponse(head, toSettings({ model: head.model }), [], {
    status: "failed",
    error: written,
    usage: undefined,
  });
  return {
    status: written.status,
    body: { error: written },
    frame: {
      event: "response.failed",
      data: JSON.stringify({ type: "response.failed", response, sequence_number: 0 }),
    },
  };
}

/** A missing response is a 404 when it is read, and a bad request when a new response should continue it. */
export function toDialectError(error: GatewayError) {
  const written = toOpenAiError(error);
  return error.code === "response_not_found" && error.param === "previous_response_id"
    ? { ...written, code: "previous_response_not_found", status: 400 }
    : written;
}
