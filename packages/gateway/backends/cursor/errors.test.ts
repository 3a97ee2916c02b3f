import { ErrorDetails_Error as E } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../turn/error.js";
import { endFrame, type Reported } from "./error.cases.js";
import { freeTextErrors, providerErrors, verdictByError } from "./error-table.js";
import { toGatewayError } from "./errors.js";
import { parseConnectError, parseEndFrame } from "./failure.js";

function classify(json: string) {
  const failure = parseEndFrame(json);
  if (failure === undefined) throw new Error("the frame has no failure");
  return toGatewayError(failure);
}

const cases: [string, Reported, ErrorCode, boolean][] = [
  ["a missing login", { code: "unauthenticated", error: E.NOT_LOGGED_IN }, "cursor_login_required", false],
  ["an unauthorized user", { code: "unauthenticated", error: E.UNAUTHORIZED }, "cursor_unauthorized", false],
  ["a bad key", { code: "unauthenticated", error: E.BAD_USER_API_KEY }, "invalid_api_key", false],
  ["an old client", { code: "permission_denied", error: E.OUTDATED_CLIENT }, "client_outdated", false],
  [
    "an old client or a rate limit",
    exhausted({ error: E.GPT_4_VISION_PREVIEW_RATE_LIMIT, title: "Update Required" }),
    "client_outdated",
    true,
  ],
  [
    "the same, when Cursor calls it final",
    exhausted({ error: E.GPT_4_VISION_PREVIEW_RATE_LIMIT, title: "Update Required", isRetryable: false }),
    "client_outdated",
    true,
  ],
  [
    "a plan that can only use Auto",
    exhausted({
      error: E.RATE_LIMITED_CHANGEABLE,
      title: "Named models unavailable",
      detail: "This plan can only use Auto.",
      isRetryable: true,
    }),
    "insufficient_quota",
    false,
  ],
  [
    "the same number with another title",
    exhausted({ error: E.GPT_4_VISION_PREVIEW_RATE_LIMIT, title: "Slow down" }),
    "rate_limit_exceeded",
    false,
  ],
  ["an unknown model", { code: "not_found", error: E.BAD_MODEL_NAME }, "model_not_found", false],
  ["an unknown model under another code", { code: "internal", error: E.BAD_MODEL_NAME }, "model_not_found", false],
  ["a blocked model", { code: "permission_denied", error: E.MODEL_BLOCKED }, "model_not_permitted", false],
  ["a plan limit", exhausted({ error: E.PRO_USER_USAGE_LIMIT }), "insufficient_quota", false],
  ["a rate limit", exhausted({ error: E.RATE_LIMITED_CHANGEABLE }), "rate_limit_exceeded", false],
  ["high load", exhausted({ error: E.RESOURCE_EXHAUSTED, title: "High Load" }), "upstream_overloaded", true],
  ["exhaustion without details", exhausted({ error: E.RESOURCE_EXHAUSTED }), "rate_limit_exceeded", true],
  [
    "high load that says no retry",
    exhausted({ error: E.RESOURCE_EXHAUSTED, title: "High Load", isRetryable: false }),
    "upstream_overloaded",
    false,
  ],
  ["a bare resource_exhausted", exhausted(), "rate_limit_exceeded", true],
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
    "free text about a limit",
    exhausted({ error: E.CUSTOM_MESSAGE, title: "You hit your usage limit" }),
    "insufficient_quota",
    false,
  ],
  [
    "a used-up plan under the number of a short limit",
    exhausted({
      error: E.RATE_LIMITED_CHANGEABLE,
      detail: "Your team has reached its usage limit. You can return on December 1, 2026.",
    }),
    "insufficient_quota",
    false,
  ],
  ["bare words of a quota", exhausted({ message: "Monthly quota reached" }), "insufficient_quota", false],
  ["bare words of a rate", exhausted({ message: "Too many requests" }), "rate_limit_exceeded", false],
  ["bare words of an update", exhausted({ message: "Update Required" }), "client_outdated", false],
  [
    "an old client that is recognised by its version alone",
    { code: "permission_denied", message: "client version cli-2025.01.01-abc is not allowed" },
    "client_outdated",
    false,
  ],
  [
    "a denial with details that mention a version",
    { code: "permission_denied", error: E.NOT_HIGH_ENOUGH_PERMISSIONS, detail: "Not in this version of the team plan" },
    "permission_denied",
    false,
  ],
  ["a retired call", { code: "failed_precondition", error: E.DEPRECATED }, "client_outdated", false],
  [
    "free text about a login",
    { code: "unknown", error: E.CUSTOM, title: "Please sign in again" },
    "cursor_login_required",
    false,
  ],
  ["free text of no kind", { code: "unavailable", error: E.CUSTOM, title: "Hm" }, "overloaded", false],
  [
    "free text that is worth a retry",
    { code: "unavailable", error: E.CUSTOM, title: "Hm", isRetryable: true },
    "overloaded",
    true,
  ],
  ["too many computers", exhausted({ message: "Too many computers used within the last 24 hours" }), "blocked", false],
  ["an unknown number", { code: "unavailable", error: 9_999 as E, title: "New" }, "overloaded", true],
  ["only `unauthenticated`", { code: "unauthenticated" }, "cursor_login_required", false],
  ["only `permission_denied`", { code: "permission_denied" }, "permission_denied", false],
  ["only `invalid_argument`", { code: "invalid_argument" }, "bad_request", false],
  ["only `unimplemented`", { code: "unimplemented" }, "upstream_error", false],
  ["only `internal`", { code: "internal" }, "upstream_error", true],
  ["a code from the future", { code: "brand_new" }, "upstream_error", true],
];

function exhausted(rest: Partial<Reported> = {}): Reported {
  return { code: "resource_exhausted", ...rest };
}

function provider(status: string): Reported {
  return exhausted({ error: E.PROVIDER_ERROR, additionalInfo: { providerStatusCode: status } });
}

describe.each(cases)("%s", (_name, reported, code, isRetryable) => {
  it(`becomes ${code}`, () => {
    const error = classify(endFrame(reported));
    expect(error.code).toBe(code);
    expect(error.isRetryable).toBe(isRetryable);
  });
});

/** The forms in which Cursor sends one error: as bytes, as JSON beside them, and as JSON alone. */
function formsOf(name: keyof typeof E, code: string): string[] {
  const full = JSON.parse(endFrame({ code, error: E[name], title: "A title" }));
  const [detail] = full.error.details;
  const debug = { error: `ERROR_${name}`, details: { title: "A title" } };
  const details = [detail, { ...detail, debug }, { type: detail.type, debug }];
  return details.map((each) => JSON.stringify({ error: { ...full.error, details: [each] } }));
}

describe.each(["BAD_MODEL_NAME", "RATE_LIMITED", "PROVIDER_ERROR", "CUSTOM", "RESOURCE_EXHAUSTED"] as const)(
  "the error %s",
  (name) => {
    it.each(["unauthenticated", "resource_exhausted", "internal"])(
      "means the same in every form, beside %s",
      (code) => {
        const [first, ...others] = formsOf(name, code).map((form) => {
          const { code, isRetryable } = classify(form);
          return { code, isRetryable };
        });
        expect(others).toEqual([first, first]);
      },
    );

    it("is not retried when Cursor says so, and is an outdated client under that title", () => {
      const reported = { code: "unavailable", error: E[name] };
      expect(classify(endFrame({ ...reported, title: "T", isRetryable: false })).isRetryable).toBe(false);
      expect(classify(endFrame({ ...reported, title: "Update Required" })).code).toBe("client_outdated");
    });
  },
);

it("lists no error twice", () => {
  const named = [...verdictByError.keys(), ...providerErrors, ...freeTextErrors];
  expect(named.length).toBe(new Set(named).size);
});

describe("the end of a stream", () => {
  it.each(["{}", "", '{"metadata":{"a":["b"]}}', '{"error":null}'])("is not a failure: %j", (json) => {
    expect(parseEndFrame(json)).toBeUndefined();
  });

  it("that cannot be read is a retryable failure", () => {
    expect(classify("{nonsense")).toMatchObject({ code: "upstream_error", isRetryable: true });
  });

  it("takes the binary details before their JSON form", () => {
    const frame = JSON.parse(endFrame({ code: "internal", error: E.BAD_MODEL_NAME, title: "binary" }));
    frame.error.details[0].debug = { error: "ERROR_TIMEOUT", details: { title: "json" } };
    expect(classify(JSON.stringify(frame)).message).toContain("binary");
  });

  it("falls back to the JSON form when the binary one is damaged", () => {
    const said = { title: "High Load", detail: "Later.", isRetryable: false };
    const debug = { error: "ERROR_RESOURCE_EXHAUSTED", details: said };
    const details = [{ type: "aiserver.v1.ErrorDetails", value: "////", debug }];
    const error = classify(JSON.stringify({ error: { code: "resource_exhausted", message: "Error", details } }));
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
    expect(message).toMatch(/^Update Required\. .*CURSOR_CLIENT_VERSION/);
  });

  it("masks credentials, and has a limited length", () => {
    const title = `key crsr_0123456789abcdef and eyJhbGciOi.eyJzdWIi.c2ln ${"x".repeat(5_000)}`;
    const { message } = classify(endFrame({ code: "internal", error: E.INTERNAL, title }));
    expect(message).not.toMatch(/crsr_0|eyJ/);
    expect(message.length).toBeLessThan(800);
  });
});

describe("what Cursor offers", () => {
  const used = { code: "resource_exhausted", error: E.PRO_USER_USAGE_LIMIT, title: "Limit reached" };
  const buttonTo = (url: string, label = "Upgrade") => [{ label, action: { case: "url" as const, value: { url } } }];
  const shown = (offer: Partial<Reported>) => classify(endFrame({ ...used, ...offer })).message;

  it("is its first button, with the link, and the plans", () => {
    const buttons = [...buttonTo("https://cursor.com/dashboard?tab=spending"), { label: "Not now" }];
    const text = shown({ buttons, planChoices: [{ label: "Pro" }, { label: "Ultra" }] });
    expect(text).toContain("Cursor offers: Upgrade (https://cursor.com/dashboard?tab=spending).");
    expect(text).toContain("Plans that Cursor names: Pro, Ultra.");
    expect(text).not.toContain("Not now");
    expect(shown({ planChoices: [{ label: "" }] })).not.toContain("Plans");
  });

  it("may be a button without a link", () => {
    const action = { case: "switchModel" as const, value: { suggestedModel: "default" } };
    expect(shown({ buttons: [{ label: "Switch to Auto", action }] })).toContain("Cursor offers: Switch to Auto.");
  });

  it.each([
    "http://cursor.com/",
    "https://cursor.com.evil.test/",
    "https://notcursor.com/",
    "https://me:word@cursor.com/",
    "https://cursor.com/?key=crsr_0123456789abcdef",
    `https://cursor.com/${"x".repeat(400)}`,
    "javascript:alert(1)",
    "nowhere",
  ])("has no link to %s", (url) => {
    expect(shown({ buttons: buttonTo(url) })).toMatch(/Cursor offers: Upgrade\.$/);
  });

  it("is short and harmless text", () => {
    const label = `\u001b[31mred\u202e\n${"x".repeat(500)}`;
    const planChoices = Array.from({ length: 50 }, () => ({ label }));
    const text = shown({ buttons: buttonTo("https://cursor.com/", label), planChoices });
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThan(800);
  });
});

describe("the wait that Cursor names", () => {
  const nowMs = Date.parse("2026-11-15T00:00:00Z");
  const limit = { code: "resource_exhausted", error: E.RATE_LIMITED };
  const waitOf = (reported: Partial<Reported>, metadata?: Record<string, string[]>) => {
    const frame = { ...JSON.parse(endFrame({ ...limit, ...reported })), ...(metadata && { metadata }) };
    const failure = parseEndFrame(JSON.stringify(frame));
    return failure && toGatewayError(failure, { nowMs }).retryAfterMs;
  };

  it.each<[string, Record<string, string>, number | undefined]>([
    ["seconds", { retryAfter: "12" }, 12_000],
    ["parts of a second", { retry_after: "0.5" }, 500],
    ["milliseconds", { retryAfterMs: "250" }, 250],
    ["a date", { "retry-after": "Sun, 15 Nov 2026 00:01:00 GMT" }, 60_000],
    ["a moment", { resetAtMs: String(nowMs + 5_000) }, 5_000],
    ["nonsense", { retryAfter: "soon" }, undefined],
    ["nothing", {}, undefined],
    ["the past", { resetAtMs: String(nowMs - 5_000) }, undefined],
  ])("comes as %s", (_, additionalInfo, expected) => expect(waitOf({ additionalInfo })).toBe(expected));

  it("comes with the end of the stream", () => {
    expect(waitOf({}, { "retry-after": ["30"] })).toBe(30_000);
  });

  it.each([
    ["You can return on 2026-11-16.", 24 * 3_600_000],
    ["Usage resets on 2026-11-17T00:00:00Z, or upgrade.", 48 * 3_600_000],
    ["Come back some day.", undefined],
  ])("comes in words: %s", (detail, expected) => expect(waitOf({ detail })).toBe(expected));
});

describe("exhaustion without details", () => {
  const bare = { code: "resource_exhausted" };
  const judge = (reported: Reported, isNearWindow: boolean) => {
    const failure = parseEndFrame(endFrame(reported));
    return failure && toGatewayError(failure, { nearWindowTokens: isNearWindow ? 110_000 : undefined });
  };

  it("is too long a conversation when that is likely", () => {
    expect(judge(bare, true)).toMatchObject({
      code: "context_length_exceeded",
      isRetryable: false,
      isUnexplained: true,
      message: expect.stringContaining("prompt is too long"),
    });
    expect(judge({ ...bare, error: E.RESOURCE_EXHAUSTED }, true)).toMatchObject({ code: "context_length_exceeded" });
  });

  it("is worth one retry otherwise", () => {
    expect(judge(bare, false)).toMatchObject({
      code: "rate_limit_exceeded",
      isRetryable: true,
      maxRetries: 1,
      isUnexplained: true,
    });
  });

  it("is explained by a time to wait, and by any words, however long the conversation is", () => {
    const limit = { code: "rate_limit_exceeded", isUnexplained: false };
    const waiting = parseEndFrame(JSON.stringify({ error: bare, metadata: { "retry-after": ["7"] } }));
    expect(waiting && toGatewayError(waiting, { nearWindowTokens: 110_000 })).toMatchObject(limit);
    for (const isNearWindow of [false, true])
      expect(judge({ ...bare, message: "Too many lanterns at once" }, isNearWindow)).toMatchObject(limit);
    expect(judge({ ...bare, error: E.UNSPECIFIED, title: "No" }, false)).toMatchObject({ isUnexplained: false });
    expect(judge({ ...bare, message: "too many requests" }, true)).toMatchObject({ isUnexplained: false });
  });

  it("follows its words if it has any, however long the conversation is", () => {
    expect(judge({ ...bare, message: "usage limit reached" }, true)).toMatchObject({ code: "insufficient_quota" });
    expect(judge({ ...bare, error: E.RESOURCE_EXHAUSTED, title: "High Load" }, true)).toMatchObject({
      code: "upstream_overloaded",
      maxRetries: Number.POSITIVE_INFINITY,
    });
  });

  it("follows a header if there is one", () => {
    const frame = {
      error: { code: "resource_exhausted" },
      metadata: { "x-cursor-inference-request-error-type": ["PROVIDER_ERROR"] },
    };
    expect(classify(JSON.stringify(frame)).code).toBe("provider_error");
  });
});
