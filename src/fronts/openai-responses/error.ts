import type { GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toOpenAiError } from "../openai-error.js";
import { toResponse } from "./response.js";
import { toSettings } from "./settings.js";

export function writeError(error: GatewayError, requestId: string, now: () => number): WrittenError {
  const written = toDialectError(error);
  // An error knows nothing of its response. Strict clients want every field, though, to get at the message.
  const facts = { id: requestId, model: "", createdMs: now() };
  const state = { status: "failed", error: written, usage: undefined } as const;
  const response = toResponse(facts, toSettings({ model: "" }), [], state);
  // The only event: a reply that has begun tells of its failure itself.
  const frame = { type: "response.failed", response, sequence_number: 0 };
  return {
    status: written.status,
    body: { error: written },
    frame: `event: response.failed\ndata: ${JSON.stringify(frame)}\n\n`,
  };
}

/** A missing response is a missing page when it is asked for, and a bad request when a new one is to go on from it. */
export function toDialectError(error: GatewayError) {
  const written = toOpenAiError(error);
  return error.code === "response_not_found" && error.param === "previous_response_id"
    ? { ...written, code: "previous_response_not_found", status: 400 }
    : written;
}
