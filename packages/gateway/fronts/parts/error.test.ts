import { describe, expect, it } from "vitest";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import { writeError } from "./error.js";

describe("an error in OpenAI's form", () => {
  it("has message, type, code, param and status, and the same in its frame", () => {
    const written = writeError(new GatewayError("invalid_request", "n: must be 1.", { param: "n" }));
    const body = {
      error: {
        message: "n: must be 1.",
        type: "invalid_request_error",
        code: "invalid_request",
        param: "n",
        status: 400,
      },
    };
    expect(written).toEqual({ status: 400, body, frame: { data: JSON.stringify(body) } });
  });

  it.each<[ErrorCode, string]>([
    ["model_not_found", "invalid_request_error"],
    ["not_authenticated", "authentication_error"],
    ["plan_required", "permission_error"],
    ["debounced", "rate_limit_error"],
    ["insufficient_quota", "insufficient_quota"],
    ["overloaded", "api_error"],
    ["timeout", "api_error"],
    ["upstream_error", "api_error"],
    ["server_error", "internal_error"],
  ])("%s is of type %s, with param null when no field is at fault", (code, type) => {
    expect(writeError(new GatewayError(code, "x")).body).toMatchObject({ error: { code, type, param: null } });
  });
});
