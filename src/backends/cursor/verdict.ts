import type { ErrorCode } from "../../turn/error.js";

/** The meaning of a failure, and whether a retry of the same request may succeed. */
export interface Verdict {
  readonly code: ErrorCode;
  readonly retry: "never" | "once" | "may-help";
}

export const never = (code: ErrorCode): Verdict => ({ code, retry: "never" });
export const once = (code: ErrorCode): Verdict => ({ code, retry: "once" });
export const mayHelp = (code: ErrorCode): Verdict => ({ code, retry: "may-help" });

/** Verdicts by Connect code, which every backend receives in the end. */
export const verdictByConnectCode: Readonly<Record<string, Verdict>> = {
  unauthenticated: never("cursor_login_required"),
  permission_denied: never("permission_denied"),
  not_found: never("not_found"),
  invalid_argument: never("bad_request"),
  failed_precondition: never("bad_request"),
  out_of_range: never("bad_request"),
  resource_exhausted: once("rate_limit_exceeded"),
  deadline_exceeded: mayHelp("timeout"),
  canceled: never("canceled"),
  unavailable: mayHelp("overloaded"),
  internal: mayHelp("upstream_error"),
  aborted: mayHelp("upstream_error"),
  unimplemented: never("upstream_error"),
};
