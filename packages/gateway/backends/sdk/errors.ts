import { type ErrorCode, GatewayError } from "../../turn/error.js";
import { adviceFor } from "../cursor/advice.js";
import { type Circumstances, shownWords, toGatewayError } from "../cursor/errors.js";
import { noFailure } from "../cursor/failure.js";
import type { SdkFailure } from "./protocol.js";

const byClass: Readonly<Record<string, ErrorCode>> = {
  AgentNotFoundError: "session_expired",
  AuthenticationError: "invalid_api_key",
  RateLimitError: "rate_limit_exceeded",
  NetworkError: "upstream_unreachable",
};
const byWords: readonly (readonly [RegExp, ErrorCode])[] = [
  [/cannot use this model|model not found|model name is not valid/i, "model_not_found"],
  [/update required|outdated client/i, "client_outdated"],
  [/connection stalled/i, "timeout"],
  // Connect's words for a stream that was cut off, under a code that blames the request.
  [/protocol error|missing EndStreamResponse/i, "upstream_error"],
  [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|fetch failed/, "upstream_unreachable"],
];
const advice: Partial<Record<ErrorCode, string>> = {
  client_outdated: "Update the SDK: npm install @cursor/sdk@latest",
  upstream_unreachable: "Check the network, then try again.",
};
const passing: ReadonlySet<ErrorCode> = new Set(["upstream_unreachable", "upstream_error", "timeout"]);

/** Converts an error of the SDK, which reports Cursor's errors as text, at worst with only the Connect code in front. */
export function toSdkError({ name, message }: SdkFailure, circumstances?: Circumstances): GatewayError {
  const code = byWords.find(([pattern]) => pattern.test(message))?.[1] ?? byClass[name];
  const [prefix = "", connectCode = ""] = /^\[([a-z_]+)\]/.exec(message) ?? [];
  const words = message.slice(prefix.length).trimStart();
  if (code === undefined) {
    return toGatewayError({ ...noFailure, connectCode, message: words === "Error" ? "" : words }, circumstances);
  }
  const text = [`Cursor's SDK failed: ${shown(words)}.`, advice[code] ?? adviceFor(code) ?? ""].join(" ").trim();
  return new GatewayError(code, text, { isRetryable: passing.has(code) });
}

export function isSystemPromptRefused({ message }: SdkFailure): boolean {
  return /system.?prompt/i.test(message);
}

export function shown(words: string): string {
  return shownWords(words).trim().replace(/\.$/, "") || "no reason given";
}
