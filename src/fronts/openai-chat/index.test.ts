import { z } from "zod";
import { describeFront } from "../front.cases.js";
import type { SseEvent } from "../parse-sse.js";
import { openaiChat } from "./index.js";

const Chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({ content: z.string().optional() }),
      finish_reason: z.string().nullable(),
    }),
  ),
});
const Reply = z.looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })) });
const ErrorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function choicesOf(events: readonly SseEvent[]) {
  return events.filter(({ data }) => data !== "[DONE]").flatMap(({ data }) => Chunk.parse(JSON.parse(data)).choices);
}

describeFront("openai-chat", openaiChat, {
  body: {
    model: "some-model",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "hi" }],
  },
  textOf: (events) =>
    choicesOf(events)
      .map(({ delta }) => delta.content ?? "")
      .join(""),
  textOfReply: (reply) => Reply.parse(reply).choices[0]?.message.content ?? "",
  finishesOf: (events) =>
    choicesOf(events)
      .map(({ finish_reason }) => finish_reason)
      .filter((reason) => reason !== null),
  messageOf: (body) => ErrorBody.parse(body).error.message,
  statuses: {
    invalid_json: 400,
    invalid_request: 400,
    missing_messages: 400,
    unsupported_image: 400,
    unsupported_document: 400,
    fetch_failed: 400,
    unsupported_parameter: 400,
    thread_unsupported: 400,
    session_expired: 400,
    tool_loop: 400,
    max_mode_required: 400,
    bad_request: 400,
    provider_rejected: 400,
    context_length_exceeded: 400,
    not_authenticated: 401,
    invalid_gateway_key: 401,
    invalid_api_key: 401,
    cursor_login_required: 401,
    cursor_unauthorized: 401,
    forbidden_host: 403,
    permission_denied: 403,
    plan_required: 403,
    api_key_not_supported: 403,
    blocked: 403,
    unsupported_region: 403,
    account_closed: 403,
    model_not_permitted: 403,
    route_not_found: 404,
    response_not_found: 404,
    model_not_found: 404,
    not_found: 404,
    method_not_allowed: 405,
    body_too_large: 413,
    image_too_large: 413,
    unsupported_media_type: 415,
    quota_exceeded: 429,
    rate_limit_exceeded: 429,
    debounced: 429,
    insufficient_quota: 429,
    canceled: 499,
    server_error: 500,
    not_implemented: 501,
    client_outdated: 502,
    format_not_met: 502,
    network_blocked: 502,
    provider_error: 502,
    upstream_error: 502,
    upstream_unreachable: 502,
    blob_missing: 502,
    tool_call_missing: 502,
    shutting_down: 503,
    overloaded: 503,
    upstream_overloaded: 503,
    timeout: 504,
  },
});
