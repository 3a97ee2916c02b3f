import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { Usage } from "@curlew/gateway/turn/event.js";
import { type EventMessage, type EventName, publish, RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { createMetrics, type Metrics } from "./index.js";

const usage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 60,
  cacheWriteTokens: 30,
  reasoningTokens: 5,
  estimated: false,
};
const calm = { openRuns: 0, parkedRuns: 0, drift: {}, lostLogLines: 0, store: undefined };

const open: Metrics[] = [];
afterEach(() => {
  for (const metrics of open.splice(0)) metrics.close();
});

function start(readings: object = {}, isModel = (name: string) => /^(auto|gpt-)/.test(name)): Metrics {
  const metrics = createMetrics({
    gatewayId: "a",
    build: { version: "1.2.3", backend: "agent" },
    names: { backends: ["agent", "cli"], isModel },
    read: () => ({ ...calm, ...readings }),
    clock: new ManualClock(),
    onProblem: (problem) => {
      throw problem;
    },
  });
  open.push(metrics);
  return metrics;
}

function end(changes: Partial<RequestRecord> = {}): void {
  const record: RequestRecord = {
    ...new RequestRecord("a", "one", 1_000),
    dialect: "openai-chat",
    askedModel: "gpt",
    endedMs: 3_000,
    ...changes,
  };
  publish("curlew:request:received", record);
  publish(record.outcome === "ok" ? "curlew:request:finished" : "curlew:request:failed", record);
}

/** The sample lines of one family. */
function samplesOf(metrics: Metrics, name: string): string[] {
  const lines = metrics.text().split("\n");
  return lines.filter((line) => new RegExp(`^${name}(_bucket|_sum|_count)?[{ ]`).test(line));
}

describe("the metrics of a gateway", () => {
  it("count requests by dialect and outcome", () => {
    const metrics = start();
    end();
    end({ dialect: "anthropic-messages", outcome: "rate_limit_exceeded" });
    end({ outcome: "client-left" });
    expect(samplesOf(metrics, "curlew_requests_total")).toEqual([
      'curlew_requests_total{dialect="openai-chat",outcome="ok"} 1',
      'curlew_requests_total{dialect="openai-chat",outcome="client-left"} 1',
      'curlew_requests_total{dialect="openai-completions",outcome="ok"} 0',
      'curlew_requests_total{dialect="openai-responses",outcome="ok"} 0',
      'curlew_requests_total{dialect="anthropic-messages",outcome="ok"} 0',
      'curlew_requests_total{dialect="anthropic-messages",outcome="rate_limit_exceeded"} 1',
    ]);
  });

  it("count a request as open from its body to its end", () => {
    const metrics = start();
    publish("curlew:request:received", { ...new RequestRecord("a", "one", 0), askedModel: "gpt" });
    expect(samplesOf(metrics, "curlew_open_requests")).toEqual(["curlew_open_requests 1"]);
    publish("curlew:request:failed", { ...new RequestRecord("a", "unreadable", 0), outcome: "invalid_json" });
    expect(samplesOf(metrics, "curlew_open_requests")).toEqual(["curlew_open_requests 1"]);
    publish("curlew:request:finished", { ...new RequestRecord("a", "one", 0), askedModel: "gpt" });
    expect(samplesOf(metrics, "curlew_open_requests")).toEqual(["curlew_open_requests 0"]);
  });

  it("have times in seconds, in cumulative buckets", () => {
    const metrics = start();
    end({ firstByteMs: 1_100 });
    end({ firstByteMs: 1_600 });
    end({ endedMs: 5_000_000 });
    const first = samplesOf(metrics, "curlew_request_first_byte_seconds");
    expect(first).toContain('curlew_request_first_byte_seconds_bucket{le="0.1"} 1');
    expect(first).toContain('curlew_request_first_byte_seconds_bucket{le="1"} 2');
    expect(first.slice(-3)).toEqual([
      'curlew_request_first_byte_seconds_bucket{le="+Inf"} 2',
      "curlew_request_first_byte_seconds_sum 0.7",
      "curlew_request_first_byte_seconds_count 2",
    ]);
    expect(samplesOf(metrics, "curlew_request_duration_seconds").slice(-4)).toEqual([
      'curlew_request_duration_seconds_bucket{le="1800"} 2',
      'curlew_request_duration_seconds_bucket{le="+Inf"} 3',
      "curlew_request_duration_seconds_sum 5003",
      "curlew_request_duration_seconds_count 3",
    ]);
  });

  it("have no negative times, even if the clock was set back", () => {
    const metrics = start();
    end({ firstByteMs: 2_000 });
    end({ startedMs: 100_000, firstByteMs: 40_000, endedMs: 41_000 });
    expect(samplesOf(metrics, "curlew_request_first_byte_seconds").at(-2)).toBe(
      "curlew_request_first_byte_seconds_sum 1",
    );
    expect(samplesOf(metrics, "curlew_request_duration_seconds").at(-2)).toBe("curlew_request_duration_seconds_sum 2");
  });

  it("sum up the tokens of turns, and keep estimates apart", () => {
    const metrics = start();
    end({ model: "gpt-5.5", backend: "agent", usage, turnUsage: usage });
    end({ model: "gpt-5.5[effort=high]", backend: "agent", turnUsage: usage });
    end({ model: "gpt-5.5", backend: "agent", turnUsage: { ...usage, estimated: true } });
    end({ model: "gpt-5.5", backend: "agent", usage }); // the turn continues
    expect(samplesOf(metrics, "curlew_turns_total")).toEqual([
      'curlew_turns_total{model="gpt-5.5",source="measured"} 2',
      'curlew_turns_total{model="gpt-5.5",source="estimated"} 1',
    ]);
    expect(samplesOf(metrics, "curlew_tokens_total").slice(0, 5)).toEqual([
      'curlew_tokens_total{model="gpt-5.5",source="measured",kind="input"} 200',
      'curlew_tokens_total{model="gpt-5.5",source="measured",kind="output"} 40',
      'curlew_tokens_total{model="gpt-5.5",source="measured",kind="cache_read"} 120',
      'curlew_tokens_total{model="gpt-5.5",source="measured",kind="cache_write"} 60',
      'curlew_tokens_total{model="gpt-5.5",source="measured",kind="reasoning"} 10',
    ]);
  });

  it("count how conversations were continued, for requests with a reply of their own", () => {
    const metrics = start();
    const warnings: string[] = [];
    end({ model: "auto", continuity: "warm", warnings });
    end({ model: "auto", continuity: "cold:edited", warnings, cacheMiss: "messages", sentAgainTokens: 70 });
    end({ model: "auto", continuity: "warm", warnings, joined: "another" });
    end({ model: "auto", continuity: "warm", outcome: "overloaded" });
    expect(samplesOf(metrics, "curlew_replies_total")).toEqual([
      'curlew_replies_total{continuity="warm"} 1',
      'curlew_replies_total{continuity="resumed"} 0',
      'curlew_replies_total{continuity="cold:new"} 0',
      'curlew_replies_total{continuity="cold:edited"} 1',
    ]);
    expect(samplesOf(metrics, "curlew_cache_misses_total")).toEqual(['curlew_cache_misses_total{cause="messages"} 1']);
    expect(samplesOf(metrics, "curlew_sent_again_tokens_total")).toEqual(["curlew_sent_again_tokens_total 70"]);
  });

  it("count the traffic with clients and with Cursor", () => {
    const metrics = start();
    end({ backend: "cli", runs: 3, retries: 2, batches: 7, bytes: 700, sentBytes: 50, receivedBytes: 60 });
    end({ outcome: "timeout", error: new GatewayError("timeout", "Late.", { isFromBreaker: true }) });
    expect(samplesOf(metrics, "curlew_runs_total")).toContain('curlew_runs_total{backend="cli"} 3');
    expect(samplesOf(metrics, "curlew_retries_total")).toContain('curlew_retries_total{backend="cli"} 2');
    const text = metrics.text();
    for (const line of [
      "curlew_reply_batches_total 7",
      "curlew_reply_bytes_total 700",
      "curlew_upstream_sent_bytes_total 50",
      "curlew_upstream_received_bytes_total 60",
      "curlew_breaker_answers_total 1",
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
  });

  it.each<[EventName, object, string[]]>([
    [
      "curlew:run:abandoned",
      { request: { model: "gpt-5.5", backend: "agent" }, reason: "superseded", usage: { ...usage, estimated: true } },
      [
        'curlew_abandoned_runs_total{reason="superseded"} 1',
        'curlew_turns_total{model="gpt-5.5",source="estimated"} 1',
      ],
    ],
    [
      "curlew:upstream:failed",
      { code: "overloaded", isRetried: true },
      ['curlew_upstream_errors_total{retried="true",code="overloaded"} 1'],
    ],
    ["curlew:token:renewed", { isRenewed: true }, ['curlew_token_renewals_total{outcome="renewed"} 1']],
    ["curlew:token:renewed", { isRenewed: false }, ['curlew_token_renewals_total{outcome="failed"} 1']],
    [
      "curlew:limit:reached",
      { limit: "day.tokens", action: "warned" },
      ['curlew_limit_notices_total{limit="day.tokens",action="warned"} 1'],
    ],
  ])("count %s", (name, message, lines) => {
    const metrics = start();
    publish(name, { gateway: "a", ...message } as EventMessage<typeof name>);
    for (const line of lines) expect(metrics.text().split("\n")).toContain(line);
  });

  it("show the current state of the gateway", () => {
    const store = { lineages: 2, bytes: 4_000 };
    const drift = { message: 1, update: 2, "update 25": 2 };
    const text = start({ openRuns: 5, parkedRuns: 1, lostLogLines: 9, store, drift }).text();
    for (const line of [
      "curlew_open_runs 5",
      "curlew_parked_runs 1",
      "curlew_lost_log_lines_total 9",
      "curlew_store_bytes 4000",
      'curlew_drift_messages_total{message="update"} 2',
      'curlew_drift_fields_total{message="update",field="25"} 2',
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
  });

  it("omit a store whose size is not known yet", () => {
    expect(start().text()).not.toContain("curlew_store");
  });
});

describe("a label", () => {
  it("never has a value made up by a client", () => {
    const metrics = start();
    const evil = 'x"} 1\nevil{a="';
    end({
      dialect: evil,
      askedModel: evil,
      model: evil,
      backend: evil,
      client: evil,
      continuity: evil,
      turnUsage: usage,
    });
    publish("curlew:limit:reached", {
      gateway: "a",
      requestId: evil,
      action: "warned",
      limit: evil,
      message: evil,
    });
    expect(metrics.text()).not.toContain("evil");
    expect(samplesOf(metrics, "curlew_turns_total")).toEqual(['curlew_turns_total{model="other",source="measured"} 1']);
    expect(samplesOf(metrics, "curlew_requests_total")).toContain(
      'curlew_requests_total{dialect="other",outcome="ok"} 1',
    );
  });

  it("has a bounded number of values, however many models there are", () => {
    const metrics = start();
    for (let at = 0; at < 500; at++) end({ model: `gpt-${at}`, backend: "agent", turnUsage: usage });
    const models = samplesOf(metrics, "curlew_turns_total");
    expect(models).toHaveLength(61);
    expect(models).toContain('curlew_turns_total{model="other",source="measured"} 440');
  });

  it("is looked up once for each model", () => {
    const asked: string[] = [];
    const metrics = start({}, (name) => asked.push(name) > 0);
    for (let at = 0; at < 3; at++) end({ model: "gpt-5.5", backend: "agent", turnUsage: usage });
    expect(asked).toEqual(["gpt-5.5"]);
    expect(samplesOf(metrics, "curlew_turns_total")).toHaveLength(1);
  });
});
