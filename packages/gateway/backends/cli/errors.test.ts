import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../turn/error.js";
import { toCliError } from "./errors.js";

const limit =
  "ActionRequiredError: You've hit your usage limit. Switch to a different model or set a Spend Limit. Your usage limits will reset when your monthly cycle ends on 12/1/2026.";

describe("the last words of the CLI", () => {
  it.each<[string, ErrorCode]>([
    [
      "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
      "cursor_login_required",
    ],
    ["not logged in", "cursor_login_required"],
    ["Unauthorized", "cursor_login_required"],
    ["Your macOS login keychain is locked.", "cursor_login_required"],
    ["\u001b[33mWarning:\u001b[0m The provided API key is invalid.", "invalid_api_key"],
    ["Cannot use this model: x. Available models: auto, demo-5", "model_not_found"],
    ["model not found", "model_not_found"],
    ["invalid model", "model_not_found"],
    ["unknown model", "model_not_found"],
    [limit, "insufficient_quota"],
    ["quota reached", "insufficient_quota"],
    ["rate limit", "rate_limit_exceeded"],
    ["⚠ Workspace Trust Required\n\n  /tmp/w", "server_error"],
    ["error: unknown option '--mode'", "client_outdated"],
    ["S: [resource_exhausted] Error", "rate_limit_exceeded"],
    ["S: [resource_exhausted] You have hit your usage limit", "insufficient_quota"],
    ["T: [unavailable] connect ECONNREFUSED 127.0.0.1:443", "upstream_unreachable"],
    ["T: [unavailable] Error", "overloaded"],
    ["RetriableError: [internal] Error", "upstream_error"],
    ["T: [deadline_exceeded] Error", "timeout"],
    ["T: [unauthenticated] Error", "cursor_login_required"],
    ["getaddrinfo ENOTFOUND api2.cursor.sh", "upstream_unreachable"],
    ["fetch failed", "upstream_unreachable"],
    ["Error: the prompt is too long", "context_length_exceeded"],
    ["Segmentation fault", "upstream_error"],
    ["", "upstream_error"],
  ])("%s", (words, code) => {
    expect(toCliError(words).code).toBe(code);
  });

  it("read a refusal without a reason as too long a prompt if it is about that long", () => {
    expect(toCliError("S: [resource_exhausted] Error", { isNearWindow: true }).code).toBe("context_length_exceeded");
    expect(toCliError(limit, { isNearWindow: true }).code).toBe("insufficient_quota");
    const tooMany = toCliError("S: [resource_exhausted] Too many lanterns at once", { isNearWindow: true });
    expect(tooMany).toMatchObject({ code: "rate_limit_exceeded", isUnexplained: false });
  });

  it.each([true, false])(
    "say whether a refusal had a reason, so that the plan can be asked: near the window %s",
    (isNearWindow) => {
      expect(toCliError("S: [resource_exhausted] Error\n", { isNearWindow }).isUnexplained).toBe(true);
      expect(toCliError("T: [unavailable] Error", { isNearWindow }).isUnexplained).toBe(false);
    },
  );

  it("exclude the model's words, though old builds repeat them", () => {
    expect(toCliError('{"type":"assistant","text":"your quota"}\nT: [internal] Error').code).toBe("upstream_error");
  });

  it("say what to do, briefly and without credentials", () => {
    const { message } = toCliError(`${"x ".repeat(2_000)}Authentication required for crsr_0123 and eyJa.eyJb.c`);
    expect(message).toContain("cursor-agent login");
    expect(message).not.toMatch(/crsr_0|eyJ/);
    expect(message.length).toBeLessThan(700);
  });

  it("say whether a retry may succeed", () => {
    expect(toCliError("T: [unavailable] Error").isRetryable).toBe(true);
    expect(toCliError(limit).isRetryable).toBe(false);
  });
});
