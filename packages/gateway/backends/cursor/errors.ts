import { ErrorDetails_Error as E } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { GatewayError } from "../../turn/error.js";
import { maskCredentials } from "../../turn/mask-credentials.js";
import { adviceFor, type FailedTurn, happened } from "./advice.js";
import {
  freeTextErrors,
  mayHelp,
  never,
  once,
  providerErrors,
  unexplained,
  type Verdict,
  verdictByConnectCode,
  verdictByError,
} from "./error-table.js";
import { retryAfterMs, type UpstreamFailure } from "./failure.js";

/** Limits for what Cursor offers, so that its error stays readable. */
const MAX_LABEL = 80;
const MAX_LINK = 300;
const MAX_PLANS = 5;

export type Circumstances = Omit<FailedTurn, "waitMs">;

/** Looks for an outdated client first, then at the error's number, the provider's status, words as a last resort, and the Connect code. */
export function toGatewayError(failure: UpstreamFailure, circumstances: Circumstances = {}): GatewayError {
  const { nowMs = Date.now(), nearWindowTokens, contextTokens } = circumstances;
  const wait = retryAfterMs(failure, nowMs);
  // An error with a time to wait is a limit.
  const {
    code,
    retry,
    isUnexplained = false,
  } = classify(failure, nearWindowTokens !== undefined && wait === undefined);
  const said = [failure.title, failure.detail].filter((part) => part !== "").join(": ");
  const text = shownWords(said !== "" ? said : failure.message);
  const parts = [
    said === ""
      ? `${happened(failure)} (${failure.connectCode || "no code"}${text ? `: ${text}` : ""}).`
      : `${text}${/[.!?…]$/.test(text) ? "" : "."}`,
  ];
  const help = adviceFor(code, { waitMs: wait, nowMs, nearWindowTokens, contextTokens });
  if (help !== undefined) parts.push(help);
  parts.push(...offersOf(failure));
  return new GatewayError(code, parts.join(" "), {
    // Cursor's own statement wins, except for quotas, where waiting never helps, and for a number with two meanings.
    isRetryable:
      code === "insufficient_quota" || isDisguised(failure)
        ? retry !== "never"
        : (failure.isRetryable ?? retry !== "never"),
    ...(retry === "once" && { maxRetries: 1 }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    isUnexplained: isUnexplained && wait === undefined,
  });
}

/** What Cursor's own window would offer. */
function offersOf({ button, planChoices }: UpstreamFailure): string[] {
  const label = shownWords(button.label).slice(0, MAX_LABEL);
  const plans = planChoices
    .filter(Boolean)
    .slice(0, MAX_PLANS)
    .map((plan) => shownWords(plan).slice(0, MAX_LABEL));
  return [
    ...(label === "" ? [] : [`Cursor offers: ${label}${linkTo(button.url)}.`]),
    ...(plans.length === 0 ? [] : [`Plans that Cursor names: ${plans.join(", ")}.`]),
  ];
}

/** Empty unless it leads to Cursor, and says nothing else. */
function linkTo(address: string): string {
  if (address.length > MAX_LINK || !URL.canParse(address)) return "";
  const { protocol, hostname, username, password, href } = new URL(address);
  const isCursors = protocol === "https:" && /(^|\.)cursor\.com$/.test(hostname) && username + password === "";
  return isCursors && maskCredentials(href) === href ? ` (${href})` : "";
}

function classify(failure: UpstreamFailure, isNearWindow: boolean): Verdict {
  const { error, connectCode, additionalInfo } = failure;
  if (isDisguised(failure)) return once("client_outdated");
  if (isOutdated(failure)) return never("client_outdated");
  if (providerErrors.has(error)) return classifyProvider(Number(additionalInfo.providerStatusCode));
  const known = verdictByError.get(error);
  // Used-up plans also come under the numbers of short limits.
  if (known?.code === "rate_limit_exceeded" && isQuota(failure)) return never("insufficient_quota");
  if (known !== undefined) return known;
  if (error === E.RESOURCE_EXHAUSTED || connectCode === "resource_exhausted") return exhausted(failure, isNearWindow);
  return (freeTextErrors.has(error) ? byWords(failure) : undefined) ?? byConnectCode(failure);
}

/** Known by a title under any number, or by words without one (docs/protocol/older-descriptions.md, framing and errors). */
function isOutdated({ error, connectCode, title, detail, message, hasDetails }: UpstreamFailure): boolean {
  if (/update required|outdated/i.test(title)) return true;
  if (connectCode === "permission_denied" && !hasDetails && /\bversion\b|\bupdate\b|outdated/i.test(message))
    return true;
  return (
    freeTextErrors.has(error) &&
    /update required|outdated client|update to the latest version/i.test(`${detail} ${message}`)
  );
}

/** The title of an outdated client under the number of a rate limit. It may be either, and one back-off shows which. */
function isDisguised({ error, title }: UpstreamFailure): boolean {
  return error === E.GPT_4_VISION_PREVIEW_RATE_LIMIT && /update required/i.test(title);
}

function classifyProvider(status: number): Verdict {
  if (status === 400 || status === 413 || status === 422) return never("provider_rejected");
  if (status === 429) return mayHelp("rate_limit_exceeded");
  return mayHelp("provider_error");
}

function exhausted(failure: UpstreamFailure, isNearWindow: boolean): Verdict {
  const reported = byWords(failure);
  if (reported !== undefined) return reported;
  if (wordsOf(failure).trim() === "") return unexplained(isNearWindow);
  return failure.error === E.RESOURCE_EXHAUSTED ? mayHelp("upstream_overloaded") : once("rate_limit_exceeded");
}

function byConnectCode({ error, connectCode }: UpstreamFailure): Verdict {
  const verdict = verdictByConnectCode[connectCode] ?? mayHelp("upstream_error");
  // These errors have hand-written texts, which would say so if a retry could help.
  return error === E.CUSTOM || error === E.CUSTOM_MESSAGE ? never(verdict.code) : verdict;
}

/** The last resort, for errors whose number says too little. */
function byWords(failure: UpstreamFailure): Verdict | undefined {
  const text = wordsOf(failure);
  if (/blob not found/i.test(text)) return never("blob_missing");
  if (isQuota(failure)) return never("insufficient_quota");
  if (/too many computers/i.test(text)) return never("blocked");
  if (/region is not (yet )?available/i.test(text)) return never("unsupported_region");
  if (/context (length|window)|(conversation|prompt|input) (is )?too long/i.test(text))
    return never("context_length_exceeded");
  if (/too many requests|rate limit|slow down/i.test(text)) return never("rate_limit_exceeded");
  if (/overload|high load|high demand|at capacity/i.test(text)) return mayHelp("upstream_overloaded");
  if (/not logged in|(log|sign) in again/i.test(text)) return never("cursor_login_required");
  return undefined;
}

function isQuota(failure: UpstreamFailure): boolean {
  return /usage limit|quota|spend(ing)? limit|out of (credits|usage|requests)|only use auto\b/i.test(wordsOf(failure));
}

function wordsOf({ title, detail, message }: UpstreamFailure): string {
  return `${title} ${detail} ${message}`;
}

/** Whether Cursor may have refused this shape of the model's name: `not_found`, or a bare limit code (docs/protocol/live-behaviour.md). */
export function isShapeRefusal({ connectCode, hasDetails }: UpstreamFailure, error: GatewayError): boolean {
  const { code, isUnexplained } = error;
  if (connectCode === "not_found") return code === "not_found" || code === "model_not_found";
  return connectCode === "resource_exhausted" && isUnexplained && !hasDetails;
}

/** Cursor's own words for the client: without credentials and control characters, and cut to a length. */
export function shownWords(words: string): string {
  return maskCredentials(words)
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .slice(0, 500);
}
