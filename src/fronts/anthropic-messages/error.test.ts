import { describe, expect, it } from "vitest";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import { writeError } from "./error.js";

describe("an error in Anthropic's form", () => {
  it("has type, message and request id, our code and the field at fault, and the same in its frame", () => {
    const written = writeError(new GatewayError("invalid_request", "system: no.", { param: "system" }), "req-1");
    const body = {
      type: "error",
      error: { type: "invalid_request_error", message: "system: no.", code: "invalid_request", param: "system" },
      request_id: "req-1",
    };
    expect(written).toEqual({ status: 400, body, frame: { event: "error", data: JSON.stringify(body) } });
  });

  it.each<[ErrorCode, string]>([
    ["invalid_json", "invalid_request_error"],
    ["method_not_allowed", "invalid_request_error"],
    ["unsupported_media_type", "invalid_request_error"],
    ["not_implemented", "invalid_request_error"],
    ["model_not_found", "not_found_error"],
    ["route_not_found", "not_found_error"],
    ["body_too_large", "request_too_large"],
    ["not_authenticated", "authentication_error"],
    ["plan_required", "permission_error"],
    ["debounced", "rate_limit_error"],
    ["insufficient_quota", "rate_limit_error"],
    ["overloaded", "overloaded_error"],
    ["timeout", "timeout_error"],
    ["upstream_error", "api_error"],
    ["server_error", "api_error"],
  ])("%s is of type %s", (code, type) => {
    expect(writeError(new GatewayError(code, "x"), "").body).toEqual({
      type: "error",
      error: { type, message: "x", code },
      request_id: null,
    });
  });

  it("of a thread says in the client's own words that it may go on without", () => {
    expect(writeError(new GatewayError("thread_unsupported", "x"), "r").body).toMatchObject({
      error: {
        type: "invalid_request_error",
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      },
    });
  });
});
