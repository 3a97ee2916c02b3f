/** The kind decides the status and the type that a front writes; the code says exactly what happened. */
const kinds = {
  // These are found by the gateway itself.
  invalid_json: "bad-request",
  invalid_request: "bad-request",
  missing_messages: "bad-request",
  unsupported_image: "bad-request",
  unsupported_document: "bad-request",
  /** An image or a document that the request names by its address could not be fetched. */
  fetch_failed: "bad-request",
  unsupported_parameter: "bad-request",
  /** Anthropic's threads are not supported: the client sends the whole conversation instead. */
  thread_unsupported: "bad-request",
  response_not_found: "not-found",
  conversation_not_found: "not-found",
  item_not_found: "not-found",
  not_implemented: "not-implemented",
  body_too_large: "too-large",
  /** The body of the request stopped coming. */
  request_timeout: "request-timeout",
  unsupported_media_type: "media-type",
  method_not_allowed: "method",
  route_not_found: "not-found",
  model_not_found: "not-found",
  not_authenticated: "authentication",
  invalid_gateway_key: "authentication",
  forbidden_host: "permission",
  owner_only: "permission",
  /** The page is not open for this browser, or no longer. */
  page_closed: "authentication",
  /** A limit that the owner has set. Unlike with a rate limit, a short wait does not help. */
  quota_exceeded: "quota",
  session_expired: "bad-request",
  tool_loop: "bad-request",
  shutting_down: "overloaded",
  canceled: "canceled",
  server_error: "internal",
  // These are reported by Cursor, or happen on the way to it.
  invalid_api_key: "authentication",
  cursor_login_required: "authentication",
  cursor_unauthorized: "authentication",
  permission_denied: "permission",
  plan_required: "permission",
  api_key_not_supported: "permission",
  blocked: "permission",
  unsupported_region: "permission",
  account_closed: "permission",
  model_not_permitted: "permission",
  max_mode_required: "bad-request",
  not_found: "not-found",
  bad_request: "bad-request",
  provider_rejected: "bad-request",
  context_length_exceeded: "bad-request",
  image_too_large: "too-large",
  rate_limit_exceeded: "rate-limit",
  debounced: "rate-limit",
  insufficient_quota: "quota",
  overloaded: "overloaded",
  upstream_overloaded: "overloaded",
  timeout: "timeout",
  client_outdated: "upstream",
  provider_error: "upstream",
  upstream_error: "upstream",
  /** The server wants content of the conversation that we no longer have. */
  blob_missing: "upstream",
  /** The client required a tool call, and the model made none. */
  tool_call_missing: "upstream",
  /** The answer does not fit the requested format, even after one repair. */
  format_not_met: "upstream",
  upstream_unreachable: "upstream",
  /** Something between us and Cursor answered instead of Cursor. That says nothing about the login. */
  network_blocked: "upstream",
} as const;

export type ErrorCode = keyof typeof kinds;
export type ErrorKind = (typeof kinds)[ErrorCode];

/** Faults of the request, and clients that leave, say nothing about Cursor or the gateway. */
const clientKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "bad-request",
  "not-found",
  "too-large",
  "media-type",
  "method",
  "not-implemented",
  "canceled",
]);

export function isClientsFault(code: ErrorCode): boolean {
  return clientKinds.has(kinds[code]);
}

interface ErrorDetails {
  cause?: unknown;
  /** The request field at fault, as a path: `messages[2].content`. */
  param?: string;
  retryAfterMs?: number;
  /** Whether the same request may succeed later. Cursor's own statement takes precedence over ours. */
  isRetryable?: boolean;
  /** A lower limit of retries than for other failures. */
  maxRetries?: number;
  wasRetried?: boolean;
  /** Whether Curlew refused by a limit of its own, without asking Cursor. Such failures pass as soon as there is room. */
  isOwnRefusal?: boolean;
  /** Whether this is an earlier failure, repeated without asking Cursor. */
  isFromBreaker?: boolean;
  /** Whether Cursor refused with a code alone, so that the code of this error is only the likeliest reason. */
  isUnexplained?: boolean;
}

/** The only error class. Its message says what happened and what to do, and holds no token, header or prompt. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isRetryable: boolean;
  readonly maxRetries: number;
  readonly isOwnRefusal: boolean;
  readonly isFromBreaker: boolean;
  readonly isUnexplained: boolean;
  readonly #details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.#details = details;
    this.code = code;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
    this.isRetryable = details.isRetryable ?? false;
    this.maxRetries = details.maxRetries ?? Number.POSITIVE_INFINITY;
    this.isOwnRefusal = details.isOwnRefusal ?? false;
    this.isFromBreaker = details.isFromBreaker ?? false;
    this.isUnexplained = details.isUnexplained ?? false;
  }

  get kind(): ErrorKind {
    return kinds[this.code];
  }

  /** Rate limits and overload pass with time, unless Cursor says otherwise. What Curlew has retried already is not worth another attempt. */
  get shouldClientRetry(): boolean {
    if (this.kind === "rate-limit") return true;
    const { wasRetried = false, isRetryable = this.kind === "overloaded" } = this.#details;
    return isRetryable && !wasRetried;
  }

  with(details: ErrorDetails, message = this.message): GatewayError {
    return new GatewayError(this.code, message, { ...this.#details, ...details });
  }

  /** Converts anything thrown to a GatewayError. The message of a foreign error is not shown, because it may contain anything. */
  static from(thrown: unknown): GatewayError {
    if (thrown instanceof GatewayError) return thrown;
    return new GatewayError("server_error", "Curlew failed because of an internal error; the log has the details.", {
      cause: thrown,
    });
  }
}

export function planResetText(resets: Date): string {
  return `Your plan resets on ${resets.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })}.`;
}
