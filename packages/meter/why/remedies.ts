import type { ErrorCode } from "@curlew/gateway/turn/error.js";

const fixRequest = "The request itself has to change; the same one will fail again.";
const signIn = "Run curlew login, then curlew status to see which credential is in use.";
const support = "No setting of Curlew changes this. Ask Cursor's support.";
const administrator = "Ask the administrator of your team or account, or choose another model.";
const shorter = "Compact the conversation or begin a new one, or choose a model with a larger context (curlew models).";
const fewerAtOnce = "Run fewer agents at once, and let the client wait as long as retry-after says.";
const checkNetwork = "Run curlew doctor: it tells network, proxy, DNS and certificate problems apart.";
const passes = "This may be temporary. If it persists, try another model and run curlew doctor --live.";
const wholeConversation =
  "Have the client send the whole conversation again, without a reference to an earlier response.";

/** What to do about a failure. What happened is in its message. */
export const remedies: Readonly<Record<ErrorCode, string>> = {
  invalid_json: fixRequest,
  invalid_request: fixRequest,
  missing_messages: fixRequest,
  unsupported_image: "Send images as PNG, JPEG, GIF or WebP.",
  unsupported_document: "Send the document as a PDF with text in it, or as plain text.",
  fetch_failed: "Send the content itself instead of its address.",
  unsupported_parameter: "Remove the field that the message names from the client's settings.",
  thread_unsupported: wholeConversation,
  response_not_found: wholeConversation,
  conversation_not_found: "Have the client create a new conversation and send everything in it again.",
  item_not_found: fixRequest,
  not_implemented: "Use the route that the message names.",
  body_too_large: "Send less in one request: fewer or smaller images, or a compacted conversation.",
  request_timeout: "The body came too slowly; check the network between the client and the gateway.",
  unsupported_media_type: "Have the client send its body as application/json.",
  method_not_allowed: fixRequest,
  route_not_found: "Check the base URL in the client's settings: some clients need /v1 at its end, others not.",
  model_not_found: "Use a name from curlew models, or map the client's name to a model with modelAliases.",
  not_authenticated: signIn,
  invalid_gateway_key:
    "Give the client the gateway's key as its API key (curlew keys list shows the names of the keys).",
  forbidden_host: "Use 127.0.0.1 in the client, or allow its host or origin with allowedHosts or corsOrigins.",
  owner_only: "Use the gateway's own key (CURLEW_KEY), the page or curlew usage.",
  page_closed: "Open the page with curlew dashboard.",
  quota_exceeded: "Wait until the limit ends, or raise it with curlew limits.",
  session_expired: wholeConversation,
  tool_loop: "The model goes in circles: say what to do differently, or repair the tool whose result does not change.",
  shutting_down: "Send it again when the gateway is back.",
  canceled: "If you did not press stop, raise the client's timeout.",
  server_error: "This is a fault of Curlew. Report it with the file that curlew doctor --report writes.",
  invalid_api_key: signIn,
  cursor_login_required: signIn,
  cursor_unauthorized: `${signIn} If Cursor still refuses it, ask Cursor's support.`,
  permission_denied: administrator,
  plan_required: "Your plan does not include this: choose another model, or change the plan at Cursor.",
  api_key_not_supported: "Cursor wants a login here instead of an API key: curlew login --import.",
  blocked: support,
  unsupported_region:
    "Choose a model that Cursor offers in your region, and unset CURSOR_AGENT_URL if you have set it.",
  account_closed: support,
  model_not_permitted: administrator,
  max_mode_required: "Append :max to the model's name; max mode costs more.",
  not_found: "Begin a new conversation; if that fails, too, run curlew doctor --live.",
  bad_request: "If it was a plain request, Cursor may have changed: run curlew doctor --live.",
  provider_rejected:
    "Often a tool's schema or an image is the reason. Try another model, or leave out tools one by one.",
  context_length_exceeded: shorter,
  image_too_large: "Send a smaller image.",
  rate_limit_exceeded: fewerAtOnce,
  debounced: "The client sent the same request twice at nearly the same time: have it send each once.",
  insufficient_quota: "Retrying does not help. curlew usage shows when your plan resets.",
  overloaded: fewerAtOnce,
  upstream_overloaded:
    "Wait a little or choose another model; the setting fallback names another backend for such times.",
  timeout: "Make the task smaller. If a model may think for long without output, raise stallMs.",
  client_outdated: "Update Curlew, or set CURSOR_CLIENT_VERSION to the version of a current Cursor CLI.",
  provider_error: passes,
  upstream_error: passes,
  blob_missing: wholeConversation,
  tool_call_missing: "Set tool_choice to auto if the call is not needed, or use a stronger model.",
  format_not_met: "Ask more plainly, make the schema simpler, or use a stronger model.",
  upstream_unreachable: checkNetwork,
  network_blocked: `Something between you and Cursor answered in its place. ${checkNetwork}`,
};

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(remedies, value);
}
