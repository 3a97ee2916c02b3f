import { ErrorDetails_Error as E } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { ErrorCode } from "../../turn/error.js";

/** The meaning of a failure, and whether a retry of the same request may succeed. */
export interface Verdict {
  readonly code: ErrorCode;
  readonly retry: "never" | "once" | "may-help";
  /** Whether Cursor gave no reason, so that this is only the likeliest meaning. */
  readonly isUnexplained?: boolean;
}

export const never = (code: ErrorCode): Verdict => ({ code, retry: "never" });
export const once = (code: ErrorCode): Verdict => ({ code, retry: "once" });
export const mayHelp = (code: ErrorCode): Verdict => ({ code, retry: "may-help" });

/** For a bare `resource_exhausted`: a used-up pool, a rate limit, or a conversation that is too long (docs/protocol/wire.md, errors). */
export function unexplained(isNearWindow: boolean): Verdict {
  return { ...(isNearWindow ? never("context_length_exceeded") : once("rate_limit_exceeded")), isUnexplained: true };
}

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

/** Cursor's errors by number (docs/protocol/wire.md, errors). The numbers that are missing here say too little on their own. */
export const verdictByError: ReadonlyMap<number, Verdict> = new Map([
  ...all(never("invalid_api_key"), E.BAD_API_KEY, E.BAD_USER_API_KEY),
  ...all(
    never("cursor_login_required"),
    E.NOT_LOGGED_IN,
    E.INVALID_AUTH_ID,
    E.AUTH_TOKEN_NOT_FOUND,
    E.AUTH_TOKEN_EXPIRED,
    E.AGENT_REQUIRES_LOGIN,
    E.USER_NOT_FOUND,
  ),
  ...all(never("cursor_unauthorized"), E.UNAUTHORIZED),
  ...all(never("permission_denied"), E.NOT_HIGH_ENOUGH_PERMISSIONS),
  ...all(never("plan_required"), E.PRO_USER_ONLY),
  ...all(never("api_key_not_supported"), E.API_KEY_NOT_SUPPORTED),
  ...all(never("blocked"), E.HOOKS_BLOCKED, E.SUSPICIOUS_USAGE_BLOCKED),
  ...all(never("unsupported_region"), E.UNSUPPORTED_REGION),
  ...all(never("account_closed"), E.ACCOUNT_CLOSED),
  ...all(never("model_not_found"), E.BAD_MODEL_NAME, E.MODEL_NO_LONGER_SUPPORTED),
  ...all(never("model_not_permitted"), E.MODEL_BLOCKED),
  ...all(never("max_mode_required"), E.MAX_MODE_REQUIRED),
  ...all(never("not_found"), E.NOT_FOUND),
  ...all(never("client_outdated"), E.OUTDATED_CLIENT, E.DEPRECATED),
  ...all(
    never("rate_limit_exceeded"),
    E.FREE_USER_RATE_LIMIT_EXCEEDED,
    E.PRO_USER_RATE_LIMIT_EXCEEDED,
    E.GENERIC_RATE_LIMIT_EXCEEDED,
    E.API_KEY_RATE_LIMIT,
    E.RATE_LIMITED,
    E.RATE_LIMITED_CHANGEABLE,
    E.GPT_4_VISION_PREVIEW_RATE_LIMIT,
  ),
  ...all(mayHelp("debounced"), E.DEBOUNCED),
  ...all(
    never("insufficient_quota"),
    E.FREE_USER_USAGE_LIMIT,
    E.PRO_USER_USAGE_LIMIT,
    E.USAGE_PRICING_REQUIRED,
    E.USAGE_PRICING_REQUIRED_CHANGEABLE,
  ),
  ...all(mayHelp("overloaded"), E.SLOW_POOL),
  ...all(never("context_length_exceeded"), E.MAX_TOKENS, E.CONVERSATION_TOO_LONG),
  ...all(never("image_too_large"), E.CLAUDE_IMAGE_TOO_LARGE),
  ...all(never("bad_request"), E.SLASH_EDIT_FILE_TOO_LONG, E.FILE_UNSUPPORTED, E.FILE_NOT_FOUND, E.BAD_REQUEST),
  ...all(never("canceled"), E.USER_ABORTED_REQUEST),
  ...all(mayHelp("timeout"), E.TIMEOUT, E.EXTENSION_HOST_TIMEOUT),
  ...all(mayHelp("upstream_error"), E.NETWORK_ERROR, E.INTERNAL),
  // Errors of Cursor's other products: tasks, the agent engine, git, repositories, GitHub.
  ...all(never("upstream_error"), 16, 17, 19, 32, 37, 46, 47, 48, 49),
]);

/** Failures of the model's provider. Their meaning is in `additionalInfo.providerStatusCode`. */
export const providerErrors: ReadonlySet<number> = new Set<number>([
  E.OPENAI,
  E.OPENAI_RATE_LIMIT_EXCEEDED,
  E.OPENAI_ACCOUNT_LIMIT_EXCEEDED,
  E.PROVIDER_ERROR,
]);

export const freeTextErrors: ReadonlySet<number> = new Set<number>([E.UNSPECIFIED, E.CUSTOM_MESSAGE, E.CUSTOM]);

function all(verdict: Verdict, ...errors: number[]): [number, Verdict][] {
  return errors.map((error) => [error, verdict]);
}
