import { expect, it } from "vitest";
import { toSdkError } from "./errors.js";

// The messages of SDK 1.0.32.
it.each([
  ["error", "[permission_denied] no", "permission_denied", false],
  ["error", "[unauthenticated] no", "cursor_login_required", false],
  ["error", "[invalid_argument] no", "bad_request", false],
  ["error", "[resource_exhausted] no", "rate_limit_exceeded", true],
  ["error", "[unavailable] no", "overloaded", true],
  ["error", "[invalid_argument] protocol error: missing EndStreamResponse", "upstream_error", true],
  ["error", "[unknown] Connection stalled", "timeout", true],
  ["error", "Pro user usage limit You have used all of it.", "insufficient_quota", false],
  ["error", "AI Model Not Found The model name is not valid.", "model_not_found", false],
  ["error", "Update Required This client is too old.", "client_outdated", false],
  ["ConfigurationError", "Cannot use this model: x. Available models: y.", "model_not_found", false],
  ["AuthenticationError", "Invalid API key", "invalid_api_key", false],
  ["RateLimitError", "slow down", "rate_limit_exceeded", false],
  ["NetworkError", "fetch failed", "upstream_unreachable", true],
  ["AgentNotFoundError", "Agent agent-1 not found", "session_expired", false],
  ["Error", "whatever else", "upstream_error", true],
])("%s: %s is %s", (name, message, code, isRetryable) => {
  expect(toSdkError({ name, message, code: "" })).toMatchObject({ code, isRetryable });
});

it("reads a refusal without a reason as too long a prompt if it is about that long", () => {
  const judge = (message: string, nearWindowTokens?: number) =>
    toSdkError({ name: "error", message, code: "" }, { nearWindowTokens });
  expect(judge("[resource_exhausted] Error")).toMatchObject({ code: "rate_limit_exceeded", isUnexplained: true });
  expect(judge("[resource_exhausted] Error", 110_000)).toMatchObject({ code: "context_length_exceeded" });
  expect(judge("[resource_exhausted] no", 110_000)).toMatchObject({ code: "rate_limit_exceeded" });
});

it("masks credentials, and has a limited length", () => {
  const { message } = toSdkError({ name: "NetworkError", message: `crsr_abc ${"x".repeat(5_000)}`, code: "" });
  expect(message).not.toContain("crsr_abc");
  expect(message.length).toBeLessThan(700);
});
