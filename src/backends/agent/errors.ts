import { ErrorDetails_Error as E } from "../../gen/aiserver_v1_pb.js";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import type { UpstreamFailure } from "./failure.js";

type Retry = "never" | "may-help";
interface Verdict {
  code: ErrorCode;
  retry: Retry;
}

const never = (code: ErrorCode): Verdict => ({ code, retry: "never" });
const mayHelp = (code: ErrorCode): Verdict => ({ code, retry: "may-help" });

const byError = new Map<number, Verdict>([
  [E.BAD_API_KEY, never("invalid_api_key")],
  [E.BAD_USER_API_KEY, never("invalid_api_key")],
  [E.NOT_LOGGED_IN, never("cursor_login_required")],
  [E.INVALID_AUTH_ID, never("cursor_login_required")],
  [E.AUTH_TOKEN_NOT_FOUND, never("cursor_login_required")],
  [E.AUTH_TOKEN_EXPIRED, never("cursor_login_required")],
  [E.AGENT_REQUIRES_LOGIN, never("cursor_login_required")],
  [E.USER_NOT_FOUND, never("cursor_login_required")],
  [E.UNAUTHORIZED, never("cursor_unauthorized")],
  [E.NOT_HIGH_ENOUGH_PERMISSIONS, never("permission_denied")],
  [E.PRO_USER_ONLY, never("plan_required")],
  [E.API_KEY_NOT_SUPPORTED, never("api_key_not_supported")],
  [E.HOOKS_BLOCKED, never("blocked")],
  [E.SUSPICIOUS_USAGE_BLOCKED, never("blocked")],
  [E.UNSUPPORTED_REGION, never("unsupported_region")],
  [E.ACCOUNT_CLOSED, never("account_closed")],
  [E.BAD_MODEL_NAME, never("model_not_found")],
  [E.MODEL_NO_LONGER_SUPPORTED, never("model_not_found")],
  [E.MODEL_BLOCKED, never("model_not_permitted")],
  [E.MAX_MODE_REQUIRED, never("max_mode_required")],
  [E.NOT_FOUND, never("not_found")],
  [E.DEPRECATED, never("upstream_deprecated")],
  [E.OUTDATED_CLIENT, never("client_outdated")],
  [E.FREE_USER_RATE_LIMIT_EXCEEDED, never("rate_limit_exceeded")],
  [E.PRO_USER_RATE_LIMIT_EXCEEDED, never("rate_limit_exceeded")],
  [E.GENERIC_RATE_LIMIT_EXCEEDED, never("rate_limit_exceeded")],
  [E.API_KEY_RATE_LIMIT, never("rate_limit_exceeded")],
  [E.RATE_LIMITED, never("rate_limit_exceeded")],
  [E.RATE_LIMITED_CHANGEABLE, never("rate_limit_exceeded")],
  [E.GPT_4_VISION_PREVIEW_RATE_LIMIT, never("rate_limit_exceeded")],
  [E.DEBOUNCED, mayHelp("debounced")],
  [E.FREE_USER_USAGE_LIMIT, never("insufficient_quota")],
  [E.PRO_USER_USAGE_LIMIT, never("insufficient_quota")],
  [E.USAGE_PRICING_REQUIRED, never("insufficient_quota")],
  [E.USAGE_PRICING_REQUIRED_CHANGEABLE, never("insufficient_quota")],
  [E.SLOW_POOL, mayHelp("overloaded")],
  [E.RESOURCE_EXHAUSTED, mayHelp("upstream_overloaded")],
  [E.MAX_TOKENS, never("context_length_exceeded")],
  [E.CONVERSATION_TOO_LONG, never("context_length_exceeded")],
  [E.CLAUDE_IMAGE_TOO_LARGE, never("image_too_large")],
  [E.SLASH_EDIT_FILE_TOO_LONG, never("bad_request")],
  [E.FILE_UNSUPPORTED, never("bad_request")],
  [E.FILE_NOT_FOUND, never("bad_request")],
  [E.BAD_REQUEST, never("bad_request")],
  [E.USER_ABORTED_REQUEST, never("canceled")],
  [E.TIMEOUT, mayHelp("timeout")],
  [E.EXTENSION_HOST_TIMEOUT, mayHelp("timeout")],
  [E.NETWORK_ERROR, mayHelp("upstream_error")],
  [E.INTERNAL, mayHelp("upstream_error")],
]);

/** Failures of the model's provider: what they mean is in `additionalInfo.providerStatusCode`. */
const providerErrors = new Set<number>([
  E.OPENAI,
  E.OPENAI_RATE_LIMIT_EXCEEDED,
  E.OPENAI_ACCOUNT_LIMIT_EXCEEDED,
  E.PROVIDER_ERROR,
]);

const byConnectCode: Readonly<Record<string, Verdict>> = {
  unauthenticated: never("cursor_login_required"),
  permission_denied: never("permission_denied"),
  not_found: never("not_found"),
  invalid_argument: never("bad_request"),
  failed_precondition: never("bad_request"),
  out_of_range: never("bad_request"),
  resource_exhausted: mayHelp("rate_limit_exceeded"),
  deadline_exceeded: mayHelp("timeout"),
  canceled: never("canceled"),
  unavailable: mayHelp("overloaded"),
  internal: mayHelp("upstream_error"),
  aborted: mayHelp("upstream_error"),
  unimplemented: never("upstream_error"),
};

/** What to do about it, where there is something to do. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: "Make a new key in Cursor's dashboard and set CURSOR_API_KEY.",
  cursor_login_required: "Set CURSOR_API_KEY to a valid key of your Cursor account.",
  client_outdated:
    "Cursor wants a newer client version: set CURSOR_CLIENT_VERSION to the one your Cursor CLI shows (cli-<cursor-agent --version>).",
  context_length_exceeded: "Shorten the conversation or start a new one.",
  model_not_found: "`curlew models` lists what your account can use.",
};

/** Decisions in this order: an outdated client in any disguise, the error's own number, the provider's status, the Connect code. */
export function toGatewayError(failure: UpstreamFailure, cause?: unknown): GatewayError {
  const { code, retry } = classify(failure);
  const said = [failure.title, failure.detail].filter((part) => part !== "").join(": ");
  const text = masked(said !== "" ? said : failure.message);
  const parts = [
    said === "" ? `Cursor refused the turn (${failure.connectCode || "no code"}${text ? `: ${text}` : ""}).` : text,
  ];
  const help = advice[code];
  if (help !== undefined) parts.push(help);
  const retryAfter = Number(failure.additionalInfo.retryAfter);
  return new GatewayError(code, parts.join(" "), {
    cause,
    isRetryable: failure.isRetryable ?? retry === "may-help",
    ...(retryAfter > 0 && { retryAfterMs: retryAfter * 1_000 }),
  });
}

function classify(failure: UpstreamFailure): Verdict {
  if (/update required|outdated/i.test(failure.title)) return never("client_outdated");
  if (providerErrors.has(failure.error)) return classifyProvider(Number(failure.additionalInfo.providerStatusCode));
  const known = byError.get(failure.error) ?? byWords(failure);
  return known ?? byConnectCode[failure.connectCode] ?? mayHelp("upstream_error");
}

function classifyProvider(status: number): Verdict {
  if (status === 400 || status === 413 || status === 422) return never("provider_rejected");
  if (status === 429) return mayHelp("rate_limit_exceeded");
  return mayHelp("provider_error");
}

/** The last resort, for messages without a number of their own. */
function byWords({ error, title, detail, message }: UpstreamFailure): Verdict | undefined {
  const isFreeText = error === E.UNSPECIFIED || error === E.CUSTOM || error === E.CUSTOM_MESSAGE;
  if (!isFreeText) return undefined;
  const text = `${title} ${detail} ${message}`;
  if (/blob not found/i.test(text)) return never("blob_missing");
  if (/usage limit|quota|spend limit/i.test(text)) return never("insufficient_quota");
  if (/too many computers/i.test(text)) return never("blocked");
  if (/context (length|window)|too long/i.test(text)) return never("context_length_exceeded");
  return undefined;
}

/** Cursor's own words go to the client, but never a credential that they might repeat, and never at any length. */
function masked(words: string): string {
  return words
    .replace(/\b(crsr_|key_)[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]*/g, "***")
    .replace(/\s+/g, " ")
    .slice(0, 500);
}
