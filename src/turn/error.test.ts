import { describe, expect, it } from "vitest";
import { GatewayError } from "./error.js";

describe("a gateway error", () => {
  it("carries its code, kind and facts", () => {
    const cause = new Error("socket");
    const error = new GatewayError("rate_limit_exceeded", "Wait a little.", {
      cause,
      param: "model",
      retryAfterMs: 1_500,
      isRetryable: true,
    });
    expect(error).toMatchObject({
      name: "GatewayError",
      message: "Wait a little.",
      code: "rate_limit_exceeded",
      kind: "rate-limit",
      param: "model",
      retryAfterMs: 1_500,
      isRetryable: true,
      cause,
    });
  });

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
