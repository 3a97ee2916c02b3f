import { randomBytes } from "node:crypto";
import type { RequestRecord } from "../events/index.js";
import type { Usage } from "../turn/event.js";
import { type AttributeValues, ERROR_STATUS, type Span, spanKind, toAttributes, toNanoseconds } from "./otlp.js";
import { parseTraceParent } from "./trace-parent.js";

/** Longer names are not those of models. */
const MAX_NAME_LENGTH = 200;

/**
 * The spans of a request that is over: one by OpenTelemetry's conventions for generative AI, as of version 1.41, and one below it for each
 * time that the gateway's own tools ran. There are none if the client's own span is not recorded. They hold no text of a prompt, an
 * answer or an error.
 */
export function spansOf(record: RequestRecord, server: string): Span[] {
  const parent = parseTraceParent(record.traceParent);
  if (parent?.isSampled === false) return [];
  const traceId = parent?.traceId ?? newId(16);
  const spanId = newId(8);
  const { startedMs, endedMs = startedMs } = record;
  // The clock may have been set back meanwhile, and no span ends before it begins.
  const notBefore = (ms: number) => toNanoseconds(Math.max(startedMs, ms));
  const operation = record.dialect === "openai-completions" ? "text_completion" : "chat";
  const request: Span = {
    traceId,
    spanId,
    ...(parent !== undefined && { parentSpanId: parent.spanId }),
    name: record.askedModel === "" ? operation : `${operation} ${nameOf(record.askedModel)}`,
    kind: spanKind.client,
    startTimeUnixNano: toNanoseconds(startedMs),
    endTimeUnixNano: notBefore(endedMs),
    attributes: toAttributes({ "gen_ai.operation.name": operation, ...conventional(record, server), ...ownOf(record) }),
    events: [
      ["curlew.planned", record.plannedMs] as const,
      ["curlew.opened", record.openedMs] as const,
      ["curlew.first_byte", record.firstByteMs] as const,
    ].flatMap(([name, ms]) => (ms === undefined ? [] : [{ name, timeUnixNano: notBefore(ms) }])),
    ...(hasFailed(record) && { status: { code: ERROR_STATUS } }),
  };
  const tools = record.pauses.map((pause): Span => {
    return {
      traceId,
      spanId: newId(8),
      parentSpanId: spanId,
      name: "tools of the gateway",
      kind: spanKind.internal,
      startTimeUnixNano: notBefore(pause.startedMs),
      endTimeUnixNano: notBefore(Math.max(pause.startedMs, pause.endedMs)),
      attributes: toAttributes({ "curlew.tools.calls": pause.calls }),
    };
  });
  return [request, ...tools];
}

function conventional(record: RequestRecord, server: string): AttributeValues {
  const { hostname, port, protocol } = new URL(server);
  const { askedModel, firstByteMs, startedMs } = record;
  return {
    "gen_ai.provider.name": "cursor",
    "gen_ai.request.model": askedModel === "" ? undefined : nameOf(askedModel),
    "gen_ai.response.model": record.model,
    "gen_ai.conversation.id": record.thread,
    "gen_ai.request.stream": record.stream || undefined,
    "gen_ai.response.time_to_first_chunk":
      record.stream && firstByteMs !== undefined ? Math.max(0, firstByteMs - startedMs) / 1_000 : undefined,
    ...usageOf("gen_ai.usage", record.usage),
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": port === "" ? ({ "http:": 80 }[protocol] ?? 443) : Number(port),
    "error.type": hasFailed(record) ? record.outcome : undefined,
  };
}

function ownOf(record: RequestRecord): AttributeValues {
  return {
    "curlew.request.id": record.requestId,
    "curlew.outcome": record.outcome,
    "curlew.dialect": record.dialect,
    "curlew.backend": record.backend,
    "curlew.client": record.client || undefined,
    "curlew.continuity": record.continuity,
    "curlew.cache_miss": record.cacheMiss,
    "curlew.sent_again_tokens": record.sentAgainTokens,
    "curlew.turn.id": record.turnId,
    "curlew.turn.round": record.round,
    "curlew.client_tools.duration": record.clientToolsMs > 0 ? record.clientToolsMs / 1_000 : undefined,
    "curlew.client_tools.calls": record.clientCalls,
    "curlew.runs": record.runs,
    "curlew.retries": record.retries,
    "curlew.joined": record.joined,
    "curlew.usage.estimated": record.usage?.estimated,
    ...usageOf("curlew.turn.usage", record.turnUsage),
  };
}

function usageOf(prefix: string, usage: Usage | undefined): AttributeValues {
  if (usage === undefined) return {};
  return {
    [`${prefix}.input_tokens`]: usage.inputTokens,
    [`${prefix}.output_tokens`]: usage.outputTokens,
    [`${prefix}.cache_read.input_tokens`]: usage.cacheReadTokens,
    [`${prefix}.cache_creation.input_tokens`]: usage.cacheWriteTokens,
    [`${prefix}.reasoning.output_tokens`]: usage.reasoningTokens,
  };
}

/** A client that leaves has seen enough; that is no failure. */
function hasFailed({ outcome }: RequestRecord): boolean {
  return outcome !== "ok" && outcome !== "client-left";
}

function nameOf(model: string): string {
  return model.slice(0, MAX_NAME_LENGTH);
}

function newId(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
