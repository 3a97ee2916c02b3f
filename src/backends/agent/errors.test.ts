import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CustomErrorDetailsSchema, ErrorDetails_Error as E, ErrorDetailsSchema } from "../../gen/aiserver_v1_pb.js";
import type { ErrorCode } from "../../turn/error.js";
import { toGatewayError } from "./errors.js";
import { parseConnectError, parseEndFrame } from "./failure.js";

interface Told {
  code: string;
  error?: E;
  title?: string;
  detail?: string;
  isRetryable?: boolean;
  additionalInfo?: Record<string, string>;
  message?: string;
}

/** An end frame as Cursor writes it, with the details in their binary form. */
function endFrame({ code, message = "Error", error, ...details }: Told): string {
  const value =
    error === undefined && details.title === undefined
      ? undefined
      : toBinary(
          ErrorDetailsSchema,
          create(ErrorDetailsSchema, { error: error ?? 0, details: create(CustomErrorDetailsSchema, details) }),
        );
  const list = value && [
    { type: "aiserver.v1.ErrorDetails", value: Buffer.from(value).toString("base64").replace(/=+$/, "") },
  ];
  return JSON.stringify({ error: { code, message, ...(list && { details: list }) } });
}

function classify(json: string) {
  const failure = parseEndFrame(json);
  if (failure === undefined) throw new Error("the frame tells of no failure");
  return toGatewayError(failure);
}

const cases: [string, Told, ErrorCode, boolean][] = [
  ["a missing login", { code: "unauthenticated", error: E.NOT_LOGGED_IN }, "cursor_login_required", false],
  ["an unauthorized user", { code: "unauthenticated", error: E.UNAUTHORIZED }, "cursor_unauthorized", false],
  ["a bad key", { code: "unauthenticated", error: E.BAD_USER_API_KEY }, "invalid_api_key", false],
  ["an old client", { code: "permission_denied", error: E.OUTDATED_CLIENT }, "client_outdated", false],
  [
    "an old client in the disguise of a rate limit",
    { code: "resource_exhausted", error: E.GPT_4_VISION_PREVIEW_RATE_LIMIT, title: "Update Required" },
    "client_outdated",
    false,
  ],
  [
    "the same number with another title",
    { code: "resource_exhausted", error: E.GPT_4_VISION_PREVIEW_RATE_LIMIT, title: "Slow down" },
    "rate_limit_exceeded",
    false,
  ],
  ["an unknown model", { code: "not_found", error: E.BAD_MODEL_NAME }, "model_not_found", false],
  ["a blocked model", { code: "permission_denied", error: E.MODEL_BLOCKED }, "model_not_permitted", false],
  ["a plan limit", { code: "resource_exhausted", error: E.PRO_USER_USAGE_LIMIT }, "insufficient_quota", false],
  ["a rate limit", { code: "resource_exhausted", error: E.RATE_LIMITED_CHANGEABLE }, "rate_limit_exceeded", false],
  ["high load", { code: "resource_exhausted", error: E.RESOURCE_EXHAUSTED }, "upstream_overloaded", true],
  [
    "high load that says no retry",
    { code: "resource_exhausted", error: E.RESOURCE_EXHAUSTED, isRetryable: false },
    "upstream_overloaded",
    false,
  ],
  ["a bare resource_exhausted", { code: "resource_exhausted" }, "rate_limit_exceeded", true],
  [
    "a conversation too long",
    { code: "invalid_argument", error: E.CONVERSATION_TOO_LONG },
    "context_length_exceeded",
    false,
  ],
  ["an image too large", { code: "invalid_argument", error: E.CLAUDE_IMAGE_TOO_LARGE }, "image_too_large", false],
  ["a slow pool", { code: "unavailable", error: E.SLOW_POOL }, "overloaded", true],
  ["a provider's 400", provider("400"), "provider_rejected", false],
  ["a provider's 429", provider("429"), "rate_limit_exceeded", true],
  ["a provider's 500", provider("500"), "provider_error", true],
  ["a provider without a status", { code: "unavailable", error: E.PROVIDER_ERROR }, "provider_error", true],
  ["a time-out", { code: "deadline_exceeded", error: E.TIMEOUT }, "timeout", true],
  ["a closed account", { code: "permission_denied", error: E.ACCOUNT_CLOSED }, "account_closed", false],
  [
    "free words about a limit",
    { code: "resource_exhausted", error: E.CUSTOM_MESSAGE, title: "You hit your usage limit" },
    "insufficient_quota",
    false,
  ],
  [
    "too many computers",
    { code: "resource_exhausted", message: "Too many computers used within the last 24 hours" },
    "blocked",
    false,
  ],
  ["an unknown number", { code: "unavailable", error: 9_999 as E, title: "New" }, "overloaded", true],
  ["only `unauthenticated`", { code: "unauthenticated" }, "cursor_login_required", false],
  ["only `permission_denied`", { code: "permission_denied" }, "permission_denied", false],
  ["only `invalid_argument`", { code: "invalid_argument" }, "bad_request", false],
  ["only `unimplemented`", { code: "unimplemented" }, "upstream_error", false],
  ["only `internal`", { code: "internal" }, "upstream_error", true],
  ["a code from the future", { code: "brand_new" }, "upstream_error", true],
];

function provider(status: string): Told {
  return { code: "resource_exhausted", error: E.PROVIDER_ERROR, additionalInfo: { providerStatusCode: status } };
}

describe.each(cases)("%s", (_name, told, code, isRetryable) => {
  it(`becomes ${code}`, () => {
    const error = classify(endFrame(told));
    expect(error.code).toBe(code);
    expect(error.isRetryable).toBe(isRetryable);
  });
});

describe("the end of a stream", () => {
  it.each(["{}", "", '{"metadata":{"a":["b"]}}', '{"error":null}'])("tells of no failure in %j", (json) => {
    expect(parseEndFrame(json)).toBeUndefined();
  });

  it("that cannot be read is a failure that may pass", () => {
    expect(classify("{nonsense")).toMatchObject({ code: "upstream_error", isRetryable: true });
  });

  it("takes the binary details before their JSON form", () => {
    const frame = JSON.parse(endFrame({ code: "internal", error: E.BAD_MODEL_NAME, title: "binary" }));
    frame.error.details[0].debug = { error: "ERROR_TIMEOUT", details: { title: "json" } };
    expect(classify(JSON.stringify(frame)).message).toContain("binary");
  });

  it("falls back to the JSON form when the binary one is damaged", () => {
    const frame = {
      error: {
        code: "resource_exhausted",
        message: "Error",
        details: [
          {
            type: "aiserver.v1.ErrorDetails",
            value: "////",
            debug: {
              error: "ERROR_RESOURCE_EXHAUSTED",
              details: { title: "High Load", detail: "Later.", isRetryable: false },
            },
          },
        ],
      },
    };
    const error = classify(JSON.stringify(frame));
    expect(error).toMatchObject({ code: "upstream_overloaded", isRetryable: false });
    expect(error.message).toContain("High Load: Later.");
  });

  it("reads the documented vector", () => {
    const failure = parseConnectError({
      code: "unauthenticated",
      message: "Error",
      details: [{ type: "aiserver.v1.ErrorDetails", value: "CCYSGQoJU2ltIHRpdGxlEgpTaW0gZGV0YWlsIAAYAQ" }],
    });
    expect(failure).toMatchObject({ error: 38, title: "Sim title", detail: "Sim detail", isRetryable: false });
  });
});

describe("the message", () => {
  it("says what Cursor said and what to do", () => {
    const { message } = classify(
      endFrame({ code: "permission_denied", error: E.OUTDATED_CLIENT, title: "Update Required" }),
    );
    expect(message).toMatch(/^Update Required .*CURSOR_CLIENT_VERSION/);
  });

  it("never repeats a credential, and never grows without end", () => {
    const title = `key crsr_0123456789abcdef and eyJhbGciOi.eyJzdWIi.c2ln ${"x".repeat(5_000)}`;
    const { message } = classify(endFrame({ code: "internal", error: E.INTERNAL, title }));
    expect(message).not.toMatch(/crsr_0|eyJ/);
    expect(message.length).toBeLessThan(800);
  });

  it("gives the wait that Cursor names", () => {
    const told = { code: "resource_exhausted", error: E.RATE_LIMITED, additionalInfo: { retryAfter: "12" } };
    expect(classify(endFrame(told)).retryAfterMs).toBe(12_000);
  });
});
