import { describe, expect, it } from "vitest";
import { ErrorDetails_Error as E } from "../../gen/aiserver_v1_pb.js";
import type { ErrorCode } from "../../turn/error.js";
import { endFrame } from "./error.cases.js";
import { toGatewayError } from "./errors.js";
import { parseEndFrame } from "./failure.js";

function classify(json: string) {
  const failure = parseEndFrame(json);
  if (failure === undefined) throw new Error("the frame tells of no failure");
  return toGatewayError(failure);
}

/** Every number, with the Connect code that it usually comes with. */
const catalogue: [readonly number[], string, ErrorCode, boolean][] = [
  [[1, 42], "unauthenticated", "invalid_api_key", false],
  [[2, 3, 11, 12, 18], "unauthenticated", "cursor_login_required", false],
  [[6], "not_found", "cursor_login_required", false],
  [[38], "unauthenticated", "cursor_unauthorized", false],
  [[4], "permission_denied", "permission_denied", false],
  [[23], "permission_denied", "plan_required", false],
  [[24], "permission_denied", "api_key_not_supported", false],
  [[53, 54], "permission_denied", "blocked", false],
  [[64], "resource_exhausted", "unsupported_region", false],
  [[65], "permission_denied", "account_closed", false],
  [[5, 61], "not_found", "model_not_found", false],
  [[58], "permission_denied", "model_not_permitted", false],
  [[60], "failed_precondition", "max_mode_required", false],
  [[39], "not_found", "not_found", false],
  [[30, 40], "permission_denied", "client_outdated", false],
  [[7, 8, 22, 28, 34, 50, 51], "resource_exhausted", "rate_limit_exceeded", false],
  [[35], "aborted", "debounced", true],
  [[9, 10, 44, 45], "resource_exhausted", "insufficient_quota", false],
  [[63], "unavailable", "overloaded", true],
  [[41], "resource_exhausted", "upstream_overloaded", true],
  [[13, 14, 15, 57], "resource_exhausted", "provider_error", true],
  [[20, 43], "invalid_argument", "context_length_exceeded", false],
  [[31], "invalid_argument", "image_too_large", false],
  [[26, 27, 33, 36], "invalid_argument", "bad_request", false],
  [[21], "canceled", "canceled", false],
  [[25, 55], "deadline_exceeded", "timeout", true],
  [[56, 59], "internal", "upstream_error", true],
  [[16, 17, 19, 32, 37, 46, 47, 48, 49], "internal", "upstream_error", false],
  [[0, 62], "failed_precondition", "bad_request", false],
  [[29, 52], "failed_precondition", "bad_request", false],
];
const numbered = catalogue.flatMap(([numbers, code, expected, isRetryable]) =>
  numbers.map((number) => ({ number, code, expected, isRetryable })),
);

function nameOf(number: number): string | number {
  const name = Object.entries(E).find(([, value]) => value === number)?.[0];
  return name === undefined ? number : `ERROR_${name}`;
}

it("covers every number", () => {
  expect(numbered.map(({ number }) => number).sort((a, b) => a - b)).toEqual(Array.from({ length: 66 }, (_, i) => i));
});

describe.each(numbered)("error $number", ({ number, code, expected, isRetryable }) => {
  const full = JSON.parse(endFrame({ code, error: number as E, title: "A title" }));
  const [detail] = full.error.details;
  const debug = {
    ...(number !== 0 && { error: nameOf(number) }),
    details: { title: "A title" },
  };

  it.each([
    ["value and debug", { ...detail, debug }],
    ["value alone", detail],
    ["debug alone", { type: detail.type, debug }],
  ])(`is ${expected} with %s`, (_, form) => {
    const frame = { error: { ...full.error, details: [form] } };
    expect(classify(JSON.stringify(frame))).toMatchObject({ code: expected, isRetryable });
  });

  it("is not tried again when Cursor says so", () => {
    expect(classify(endFrame({ code, error: number as E, title: "T", isRetryable: false })).isRetryable).toBe(false);
  });

  it("is an outdated client under that title", () => {
    expect(classify(endFrame({ code, error: number as E, title: "Update Required" })).code).toBe("client_outdated");
  });
});
