import { type ErrorCode, GatewayError } from "../../turn/error.js";
import { maskCredentials } from "../../turn/mask-credentials.js";
import { adviceFor } from "../cursor/advice.js";
import { mayHelp, never, once, unexplained, type Verdict, verdictByConnectCode } from "../cursor/error-table.js";
import { stripAnsi } from "./listings.js";

const advice: Partial<Record<ErrorCode, string>> = {
  cursor_login_required: "Run `cursor-agent login`, or set CURSOR_API_KEY to a valid key of your Cursor account.",
  invalid_api_key: "Make a new key in Cursor's dashboard and set CURSOR_API_KEY, or run `cursor-agent login`.",
  model_not_found: "`cursor-agent models` lists what your account can use.",
  insufficient_quota: "Cursor's dashboard shows what is left and when it resets.",
  client_outdated: "Run `cursor-agent update`.",
  upstream_unreachable: "Check the network of this machine, and its proxy settings.",
};

/** The first match wins. The CLI's own refusals come first, then Cursor's messages that it passes on. */
const byWords: readonly (readonly [RegExp, Verdict])[] = [
  [/workspace trust required/i, never("server_error")],
  [/unknown (option|command)|invalid choice|is invalid\. allowed choices/i, never("client_outdated")],
  [/api key is invalid|invalid api key/i, never("invalid_api_key")],
  [
    /authentication required|not logged in|log ?in (is )?required|unauthorized|keychain|errSec\w+/i,
    never("cursor_login_required"),
  ],
  [/cannot use this model|model not found|(invalid|unknown) model/i, never("model_not_found")],
  [/(part of|available (in|on)|included in) (this|your) plan|upgrade (to|your plan)/i, never("plan_required")],
  [/usage limit|quota|spend(ing)? limit|out of (credits|usage|requests)/i, never("insufficient_quota")],
  [/rate limit|too many requests/i, once("rate_limit_exceeded")],
  [/(prompt|conversation|input) (is )?too long|context (length|window)/i, never("context_length_exceeded")],
  [/update required|outdated client/i, never("client_outdated")],
];
const NETWORK_TROUBLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|fetch failed/;
const CONNECT_CODE = /\[([a-z_]+)\]/g;
const BARE_EXHAUSTION = /\[resource_exhausted\](?: Error)?\s*$/m;

export interface CliCircumstances {
  /** Whether the model has said nothing and the request may be too long for its window. */
  readonly isNearWindow?: boolean;
  readonly hasSpoken?: boolean;
}

/** Converts a run's last words to an error: its stderr, and what it wrote between its events. The exit code says nothing. */
export function toCliError(words: string, { isNearWindow = false, hasSpoken }: CliCircumstances = {}): GatewayError {
  // Old builds write every event to stderr too, and the model's words are not a reason.
  const lines = stripAnsi(words).split("\n");
  const text = lines.filter((line) => !line.trimStart().startsWith("{")).join("\n");
  const { code, retry, isUnexplained = false } = classify(text, isNearWindow);
  const silence = hasSpoken ? "it ended in the middle of its answer without giving a reason" : "no reason given";
  // The reason stands at the end.
  const reason = maskCredentials(text).replace(/\s+/g, " ").trim().replace(/\.$/, "").slice(-500);
  const parts = [`The Cursor CLI gave up: ${reason || silence}.`];
  const help = advice[code] ?? adviceFor(code);
  if (help !== undefined) parts.push(help);
  return new GatewayError(code, parts.join(" "), {
    isRetryable: retry !== "never",
    ...(retry === "once" && { maxRetries: 1 }),
    isUnexplained,
  });
}

function classify(text: string, isNearWindow: boolean): Verdict {
  const known = byWords.find(([pattern]) => pattern.test(text))?.[1];
  if (known !== undefined) return known;
  const codes = [...text.matchAll(CONNECT_CODE)].map(([, code = ""]) => code);
  const code = codes.findLast((each) => Object.hasOwn(verdictByConnectCode, each)) ?? "";
  if (code === "resource_exhausted" && BARE_EXHAUSTION.test(text)) return unexplained(isNearWindow);
  if (NETWORK_TROUBLE.test(text)) return mayHelp("upstream_unreachable");
  return verdictByConnectCode[code] ?? never("upstream_error");
}

export function cliMissing(tried: string): GatewayError {
  const text = `The Cursor CLI was not found: ${tried}. Install it (https://cursor.com/cli), or set CURLEW_CLI_PATH to its path.`;
  return new GatewayError("server_error", text);
}
