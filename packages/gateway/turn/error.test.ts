import { describe, expect, it } from "vitest";
import { type ErrorCode, GatewayError } from "./error.js";

describe("a gateway error", () => {
  it("is not retryable by default", () => {
    expect(new GatewayError("upstream_error", "x")).toMatchObject({
      isRetryable: false,
      param: undefined,
      retryAfterMs: undefined,
    });
    expect("cause" in new GatewayError("upstream_error", "x")).toBe(false);
  });

  it("is kept unchanged by from(), which hides the message of a foreign error", () => {
    const own = new GatewayError("timeout", "Too slow.");
    expect(GatewayError.from(own)).toBe(own);
    const strange = new Error("Bearer secret-token was refused");
    const wrapped = GatewayError.from(strange);
    expect(wrapped).toMatchObject({ code: "server_error", kind: "internal", cause: strange });
    expect(wrapped.message).not.toContain("secret");
    expect(GatewayError.from("text").cause).toBe("text");
  });
});

describe("whether a client should retry by itself", () => {
  it.each<[string, ErrorCode, ConstructorParameters<typeof GatewayError>[2], boolean]>([
    ["a temporary failure that was not retried", "upstream_error", { isRetryable: true }, true],
    ["a failure that was retried in vain", "upstream_error", { isRetryable: true, wasRetried: true }, false],
    ["an overload that was retried in vain", "overloaded", { isRetryable: true, wasRetried: true }, false],
    ["a failure that a retry cannot fix", "client_outdated", {}, false],
    ["a used-up quota", "insufficient_quota", { retryAfterMs: 1_000 }, false],
    ["a ceiling of the owner", "quota_exceeded", { retryAfterMs: 1_000, isOwnRefusal: true }, false],
    ["an invalid request", "invalid_request", {}, false],
    ["an internal error", "server_error", {}, false],
    ["a rate limit, even after our retry", "rate_limit_exceeded", { isRetryable: false, wasRetried: true }, true],
    ["an overloaded gateway", "overloaded", {}, true],
    ["a gateway that is shutting down", "shutting_down", {}, true],
    ["an overload that Cursor calls final", "overloaded", { isRetryable: false }, false],
  ])("%s", (_, code, details, should) => {
    expect(new GatewayError(code, "x", details).shouldClientRetry).toBe(should);
  });
});

it("carries its code, kind and details, and keeps them in with()", () => {
  const details = { cause: new Error("socket"), param: "model", isRetryable: true, maxRetries: 1 };
  const error = new GatewayError("timeout", "Too slow.", details);
  const carried = { name: "GatewayError", code: "timeout", kind: "timeout", message: "Too slow.", ...details };
  expect(error).toMatchObject(carried);
  expect(error.with({ retryAfterMs: 5 })).toMatchObject({ ...carried, retryAfterMs: 5 });
});
