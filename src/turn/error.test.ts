import { describe, expect, it } from "vitest";
import { type ErrorCode, GatewayError } from "./error.js";

describe("a gateway error", () => {
  it("does not promise that asking again helps", () => {
    expect(new GatewayError("upstream_error", "x")).toMatchObject({
      isRetryable: false,
      param: undefined,
      retryAfterMs: undefined,
    });
    expect("cause" in new GatewayError("upstream_error", "x")).toBe(false);
  });

  it("is kept as it is when thrown again, and hides the words of a stranger", () => {
    const own = new GatewayError("timeout", "Too slow.");
    expect(GatewayError.from(own)).toBe(own);
    const strange = new Error("Bearer secret-token was refused");
    const wrapped = GatewayError.from(strange);
    expect(wrapped).toMatchObject({ code: "server_error", kind: "internal", cause: strange });
    expect(wrapped.message).not.toContain("secret");
    expect(GatewayError.from("text").cause).toBe("text");
  });
});

describe("whether a client should repeat a request by itself", () => {
  it.each<[string, ErrorCode, ConstructorParameters<typeof GatewayError>[2], boolean]>([
    ["what may pass and was not tried again", "upstream_error", { isRetryable: true }, true],
    ["what was tried again in vain", "upstream_error", { isRetryable: true, wasRetried: true }, false],
    ["an overload that was tried again in vain", "overloaded", { isRetryable: true, wasRetried: true }, false],
    ["what asking again does not mend", "client_outdated", {}, false],
    ["what is used up", "insufficient_quota", { retryAfterMs: 1_000 }, false],
    ["a ceiling of the owner", "quota_exceeded", { retryAfterMs: 1_000, isOwnRefusal: true }, false],
    ["a request with a mistake in it", "invalid_request", {}, false],
    ["a fault of our own", "server_error", {}, false],
    ["a limit, whoever ran into it before", "rate_limit_exceeded", { isRetryable: false, wasRetried: true }, true],
    ["a gateway that has too much to do", "overloaded", {}, true],
    ["a gateway that is being stopped", "shutting_down", {}, true],
    ["an overload that Cursor calls final", "overloaded", { isRetryable: false }, false],
  ])("%s", (_, code, details, should) => {
    expect(new GatewayError(code, "x", details).shouldClientRetry).toBe(should);
  });
});

it("carries its code, kind and details, and keeps them when more becomes known", () => {
  const details = { cause: new Error("socket"), param: "model", isRetryable: true, maxRetries: 1 };
  const error = new GatewayError("timeout", "Too slow.", details);
  const carried = { name: "GatewayError", code: "timeout", kind: "timeout", message: "Too slow.", ...details };
  expect(error).toMatchObject(carried);
  expect(error.with({ retryAfterMs: 5 })).toMatchObject({ ...carried, retryAfterMs: 5 });
});
