/** What a failure means, and the command that helps. */
interface Cause {
  /** Goes on after a colon. */
  readonly what: string;
  readonly command: string | null;
}

const LOGIN = "curlew login";
const DOCTOR = "curlew doctor";
const LIVE = "curlew doctor --live";

const causes: Readonly<Record<string, Cause>> = {
  not_authenticated: { what: "Curlew is not signed in", command: LOGIN },
  invalid_api_key: { what: "Cursor does not accept the key", command: LOGIN },
  cursor_login_required: { what: "Cursor wants a new login", command: LOGIN },
  cursor_unauthorized: { what: "Cursor refused the login", command: LOGIN },
  api_key_not_supported: { what: "Cursor wants a login instead of a key", command: "curlew login --import" },
  permission_denied: { what: "the account may not do this", command: null },
  plan_required: { what: "the plan does not include this", command: null },
  model_not_permitted: { what: "the account may not use this model", command: null },
  rate_limit_exceeded: { what: "Cursor's rate limit was reached", command: null },
  insufficient_quota: { what: "the plan is used up", command: "curlew usage" },
  overloaded: { what: "too much was asked at once", command: null },
  upstream_overloaded: { what: "Cursor is overloaded", command: null },
  timeout: { what: "Cursor did not answer in time", command: null },
  client_outdated: { what: "Cursor wants a newer version", command: DOCTOR },
  upstream_unreachable: { what: "Cursor cannot be reached", command: DOCTOR },
  network_blocked: { what: "something between here and Cursor answered in its place", command: DOCTOR },
  provider_error: { what: "the provider of the model failed", command: LIVE },
  upstream_error: { what: "Cursor failed or sent something unreadable", command: LIVE },
  canceled: { what: "it was stopped", command: null },
  interrupted: { what: "the gateway ended", command: null },
  quota_exceeded: { what: "a limit of yours was reached", command: "curlew limits" },
  confirm_cold: { what: "nobody has confirmed its cost", command: null },
  context_length_exceeded: { what: "the conversation is too long", command: null },
  model_not_found: { what: "there is no such model", command: "curlew models" },
  invalid_request: { what: "the request is not valid", command: null },
  server_error: { what: "Curlew itself failed", command: "curlew doctor --report report.json" },
};

/** A code that is not among these speaks for itself. */
export function causeOf(code: string): Cause {
  return causes[code] ?? { what: code, command: DOCTOR };
}
