import type { GatewayError } from "../../turn/error.js";
import type { WrittenError } from "../front.js";
import { toOpenAiError } from "../openai-error.js";
import { toSettings } from "./settings.js";
import { toResponsesUsage } from "./usage.js";

/** Behind whatever was written before it: the frame is the last, and does not know how many there were. */
const LAST_SEQUENCE_NUMBER = 2 ** 31 - 1;

export function writeError(error: GatewayError, requestId: string, now: () => number): WrittenError {
  const written = toDialectError(error);
  const { code, message } = written;
  // An error knows nothing of its response. Strict clients want every field, though, to get at the message.
  const response = {
    id: `resp_${requestId}`,
    object: "response",
    created_at: Math.floor(now() / 1000),
    status: "failed",
    completed_at: null,
    error: { code, message },
    incomplete_details: null,
    usage: toResponsesUsage(undefined),
    model: "",
    output: [],
    ...toSettings({ model: "" }),
  };
  const frame = { type: "response.failed", response, sequence_number: LAST_SEQUENCE_NUMBER };
  return {
    status: written.status,
    body: { error: written },
    frame: `event: response.failed\ndata: ${JSON.stringify(frame)}\n\n`,
  };
}

/** A missing response is a missing page when it is asked for, and a bad request when a new one is to go on from it. */
function toDialectError(error: GatewayError) {
  const written = toOpenAiError(error);
  return error.code === "response_not_found" && error.param === "previous_response_id"
    ? { ...written, code: "previous_response_not_found", status: 400 }
    : written;
}
