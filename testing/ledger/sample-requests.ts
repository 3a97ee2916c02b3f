import type { Usage } from "../../packages/gateway/turn/event.js";
import { type AbandonedRun, publish, RequestRecord } from "../../packages/gateway/turn/events/channels.js";

export const sampleUsage: Usage = {
  inputTokens: 1_000,
  outputTokens: 50,
  cacheReadTokens: 600,
  cacheWriteTokens: 300,
  reasoningTokens: 20,
  estimated: false,
};

/** A request that has ended well, as the gateway would have filled it in. */
export function sampleRecord(id: string, startedMs: number, changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...new RequestRecord("gateway", id, startedMs),
    client: "tester",
    caller: "c0ffee",
    dialect: "openai-chat",
    askedModel: "auto",
    model: "Auto",
    backend: "agent",
    thread: "t1",
    continuity: "warm",
    bringsWords: true,
    bodyBytes: 500,
    usage: sampleUsage,
    turnUsage: sampleUsage,
    runs: 1,
    sentBytes: 2_000,
    receivedBytes: 3_000,
    plannedMs: startedMs + 2,
    openedMs: startedMs + 5,
    firstByteMs: startedMs + 30,
    endedMs: startedMs + 100,
    bytes: 700,
    status: 200,
    ...changes,
  };
}

/** Publishes a request from its receipt to its end. */
export function playRequest(record: RequestRecord): void {
  publish("curlew:request:received", record);
  publish("curlew:request:opened", record);
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}

/** Plays a request whose run then waits for the results of tools. */
export function pauseRequest(record: RequestRecord): RequestRecord {
  publish("curlew:request:received", record);
  publish(record.round === 0 ? "curlew:request:opened" : "curlew:request:resumed", record);
  publish("curlew:request:paused", record);
  publish("curlew:request:finished", record);
  return record;
}

/** Abandons the run that a request has left waiting. */
export function abandonRun(
  request: RequestRecord,
  usage: Usage = { ...sampleUsage, estimated: true },
  reason: AbandonedRun["reason"] = "lease-expired",
): void {
  const { gateway, requestId } = request;
  publish("curlew:run:abandoned", { gateway, request, requestId, reason, usage });
}
