import { type ErrorCode, planResetText } from "../../turn/error.js";
import type { UpstreamFailure } from "./failure.js";
import { REGION_ADVICE } from "./refusal.js";

export interface FailedTurn {
  /** How long Cursor asks to wait, and since when. */
  readonly waitMs?: number | undefined;
  readonly nowMs?: number;
  /** The size of the request with Cursor's own part, if the model has said nothing and it may be too long for the window. */
  readonly nearWindowTokens?: number | undefined;
  readonly contextTokens?: number | undefined;
}

const TRY_AGAIN = "Try again; if it keeps happening, run `curlew doctor`.";
const SUPPORT = "Contact Cursor's support.";

/** What the user can do about an error, where the code alone decides. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: "Make a new key in Cursor's dashboard and set CURSOR_API_KEY, or run `curlew login`.",
  cursor_login_required: "Run `curlew login`, or set CURSOR_API_KEY to a valid key of your Cursor account.",
  cursor_unauthorized: "Sign in again with `curlew login`; if that does not help, contact Cursor's support.",
  api_key_not_supported: "Sign in with `curlew login`: Cursor does not accept an API key here.",
  client_outdated:
    "Cursor wants a newer client version: update Curlew, or set CURSOR_CLIENT_VERSION to that of a current Cursor CLI (cli-<what `cursor-agent --version` prints>). If the CLI is installed here, `cursor-agent update` is enough.",
  model_not_found: "`curlew models` lists what your account can use.",
  model_not_permitted: "Choose another model; `curlew models` lists what your account can use.",
  max_mode_required: "Add `:max` to the name of the model.",
  permission_denied: "If your account belongs to a team, ask its administrator.",
  plan_required: "Choose another model, or change your plan in Cursor's dashboard.",
  blocked: SUPPORT,
  account_closed: SUPPORT,
  unsupported_region: REGION_ADVICE,
  image_too_large: "Send a smaller image.",
  bad_request: "If this is an ordinary request, run `curlew doctor --live`: Cursor may have changed.",
  not_found: "Start a new conversation; if that does not help, run `curlew doctor --live`.",
  provider_rejected: "Try another model; often a tool's schema or an image is the reason.",
  provider_error: "Try again, or choose another model.",
  upstream_overloaded: "Try again in a moment, or choose another model.",
  debounced: "Send each request once, and wait for its answer.",
  overloaded: TRY_AGAIN,
  upstream_error: TRY_AGAIN,
  timeout: TRY_AGAIN,
};

export function adviceFor(code: ErrorCode, turn: FailedTurn = {}): string | undefined {
  const { waitMs, nowMs = Date.now() } = turn;
  const reset = waitMs === undefined ? "" : `${planResetText(new Date(nowMs + waitMs))} `;
  switch (code) {
    case "context_length_exceeded":
      return tooLong(turn);
    case "rate_limit_exceeded":
      return `${waitFor(turn)}, then try again. Run fewer agents at once.`;
    case "insufficient_quota":
      return `${reset}\`curlew usage\` shows what is left and when it resets.`;
    default:
      return advice[code];
  }
}

/** Clients recognise the first words and shorten the conversation. */
function tooLong({ nearWindowTokens, contextTokens }: FailedTurn): string {
  const begin = "The prompt is too long:";
  if (contextTokens === undefined) return `${begin} shorten the conversation or start a new one.`;
  return `${begin} ${sizes(contextTokens, nearWindowTokens)}. Shorten the conversation or start a new one.`;
}

function sizes(contextTokens: number, nearWindowTokens: number | undefined): string {
  const limit = contextTokens.toLocaleString("en-US");
  if (nearWindowTokens === undefined) return `the model reads at most ${limit} tokens`;
  const size = `it has about ${(Math.round(nearWindowTokens / 1_000) * 1_000).toLocaleString("en-US")} tokens`;
  if (nearWindowTokens > contextTokens) return `${size}, and the model reads at most ${limit}`;
  return `${size} with Cursor's own, which is much of the ${limit} that the model reads, and Cursor gave no other reason`;
}

function waitFor({ waitMs }: FailedTurn): string {
  if (waitMs === undefined) return "Wait a moment";
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return seconds > 120 ? `Wait ${Math.ceil(seconds / 60)} minutes` : `Wait ${seconds} s`;
}

/** What happened, for failures that Cursor does not describe to users. */
export function happened({ connectCode }: Pick<UpstreamFailure, "connectCode">): string {
  if (connectCode === "unavailable" || connectCode === "deadline_exceeded") return "Cursor did not answer";
  const isFailure = ["internal", "unknown", "aborted", "data_loss", ""].includes(connectCode);
  return isFailure ? "Cursor failed" : "Cursor refused the turn";
}
