/** What a failure means. It goes on after a colon. */
const causes: Readonly<Record<string, string>> = {
  not_authenticated: "Curlew is not signed in",
  invalid_api_key: "Cursor does not accept the key",
  cursor_login_required: "Cursor wants a new login",
  cursor_unauthorized: "Cursor refused the login",
  api_key_not_supported: "Cursor wants a login instead of a key",
  permission_denied: "the account may not do this",
  plan_required: "the plan does not include this",
  model_not_permitted: "the account may not use this model",
  rate_limit_exceeded: "Cursor's rate limit was reached",
  insufficient_quota: "the plan is used up",
  overloaded: "too much was asked at once",
  upstream_overloaded: "Cursor is overloaded",
  timeout: "Cursor did not answer in time",
  client_outdated: "Cursor wants a newer version",
  upstream_unreachable: "Cursor cannot be reached",
  network_blocked: "something between here and Cursor answered in its place",
  provider_error: "the provider of the model failed",
  upstream_error: "Cursor failed or sent something unreadable",
  canceled: "it was stopped",
  interrupted: "the gateway ended",
  quota_exceeded: "a limit of yours was reached",
  context_length_exceeded: "the conversation is too long",
  model_not_found: "there is no such model",
  invalid_request: "the request is not valid",
  server_error: "Curlew itself failed",
};

/** A code that is not among these speaks for itself. */
export function causeOf(code: string): string {
  return causes[code] ?? code;
}
