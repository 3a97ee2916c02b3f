import { newRecord, type RequestRecord } from "../../src/events/index.js";
import { createMetrics } from "../../src/metrics/index.js";
import { spansOf } from "../../src/traces/request-spans.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { codeList, table } from "./tables.js";

/** Every family that a gateway writes, with its own help. */
export function metricsTable(): string {
  const metrics = createMetrics({
    gatewayId: "guide",
    build: { version: "", backend: "" },
    names: { backends: [], isModel: () => false },
    read: () => ({
      openRuns: 0,
      parkedRuns: 0,
      drift: {},
      lostLogLines: 0,
      store: { checkpoints: 0, blobs: 0, bytes: 0 },
    }),
    clock: new ManualClock(),
    onProblem: () => {},
  });
  const text = metrics.text();
  metrics.close();
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)$/gm)].map(([, name, help = "", type = ""]) => {
    return [`\`${name}\``, type, help];
  });
  return table(["Metric", "Type", "Meaning"], rows);
}

const usage = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 1,
  cacheWriteTokens: 1,
  reasoningTokens: 1,
  estimated: true,
};

/** What the spans of a request may say, from one about which everything is known. */
export function attributeList(): string {
  const record: RequestRecord = {
    ...newRecord("guide", "one", 0),
    client: "client",
    askedModel: "auto",
    model: "auto",
    backend: "agent",
    thread: "thread",
    continuity: "cold:edited",
    cacheMiss: "messages",
    stream: true,
    clientToolsMs: 1,
    joined: "another",
    pauses: [{ startedMs: 0, endedMs: 1, calls: 1 }],
    firstByteMs: 1,
    usage,
    turnUsage: usage,
    outcome: "timeout",
  };
  const spans = spansOf(record, "https://agent.example");
  return codeList(new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key))));
}
