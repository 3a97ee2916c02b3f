import { expect, it } from "vitest";
import { newRecord, type RequestRecord } from "../events/index.js";
import { GatewayError } from "../turn/error.js";
import type { Span } from "./otlp.js";
import { spansOf } from "./request-spans.js";

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 60,
  cacheWriteTokens: 30,
  reasoningTokens: 5,
  estimated: false,
};

function record(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...newRecord("a", "request-1", 1_800_000_000_000),
    dialect: "openai-chat",
    askedModel: "gpt-5",
    endedMs: 1_800_000_002_500,
    ...changes,
  };
}

function attributesOf(span: Span | undefined): Record<string, unknown> {
  const entries = (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]);
  return Object.fromEntries(entries);
}

it("makes one span of a request, by the conventions for generative AI", () => {
  const [span, ...others] = spansOf(
    record({
      model: "gpt-5.5",
      backend: "agent",
      stream: true,
      thread: "t1",
      continuity: "cold:edited",
      cacheMiss: "messages",
      sentAgainTokens: 70,
      runs: 1,
      usage,
      turnUsage: usage,
      plannedMs: 1_800_000_000_010,
      openedMs: 1_800_000_000_020,
      firstByteMs: 1_800_000_001_500,
    }),
    "https://agent.example",
  );
  expect(others).toEqual([]);
  expect(span).toMatchObject({
    name: "chat gpt-5",
    kind: 3,
    startTimeUnixNano: "1800000000000000000",
    endTimeUnixNano: "1800000002500000000",
    events: [
      { name: "curlew.planned", timeUnixNano: "1800000000010000000" },
      { name: "curlew.opened", timeUnixNano: "1800000000020000000" },
      { name: "curlew.first_byte", timeUnixNano: "1800000001500000000" },
    ],
  });
  expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(span).not.toHaveProperty("parentSpanId");
  expect(span).not.toHaveProperty("status");
  expect(attributesOf(span)).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "cursor",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.response.model": "gpt-5.5",
    "gen_ai.conversation.id": "t1",
    "gen_ai.request.stream": true,
    "gen_ai.response.time_to_first_chunk": 1.5,
    "gen_ai.usage.input_tokens": "100",
    "gen_ai.usage.output_tokens": "20",
    "gen_ai.usage.cache_read.input_tokens": "60",
    "gen_ai.usage.cache_creation.input_tokens": "30",
    "gen_ai.usage.reasoning.output_tokens": "5",
    "server.address": "agent.example",
    "server.port": "443",
    "curlew.continuity": "cold:edited",
    "curlew.cache_miss": "messages",
    "curlew.sent_again_tokens": "70",
    "curlew.turn.usage.input_tokens": "100",
  });
});

it("belongs to the client's span", () => {
  const [span] = spansOf(record({ traceParent: parent }), "https://agent.example");
  expect(span).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" });
});

it("is not made when the client's span is not recorded", () => {
  expect(spansOf(record({ traceParent: parent.replace(/01$/, "00") }), "https://agent.example")).toEqual([]);
});

it("begins a trace of its own when the header makes no sense", () => {
  const [span] = spansOf(record({ traceParent: "nonsense" }), "https://agent.example");
  expect(span).not.toHaveProperty("parentSpanId");
});

it("has a span below it for each time that the gateway's own tools ran", () => {
  const pauses = [{ startedMs: 1_800_000_000_100, endedMs: 1_800_000_000_300, calls: 2 }];
  const [request, tools] = spansOf(record({ pauses }), "http://127.0.0.1:8080");
  expect(tools).toMatchObject({
    traceId: request?.traceId,
    parentSpanId: request?.spanId,
    startTimeUnixNano: "1800000000100000000",
    endTimeUnixNano: "1800000000300000000",
  });
  expect(attributesOf(tools)).toEqual({ "curlew.tools.calls": "2" });
  expect(attributesOf(request)).toMatchObject({ "server.address": "127.0.0.1", "server.port": "8080" });
});

it("names the class of a failure, and says nothing more about it", () => {
  const error = new GatewayError("model_not_found", "The model `secret words` is not in your list.");
  const texts = { asked: "a private question", answered: "a private answer" };
  const spans = spansOf(record({ outcome: "model_not_found", error, texts }), "https://agent.example");
  expect(spans[0]?.status).toEqual({ code: 2 });
  expect(attributesOf(spans[0])).toMatchObject({ "error.type": "model_not_found" });
  expect(JSON.stringify(spans)).not.toMatch(/secret|private/);
});

it("does not call it a failure that a client left", () => {
  const [span] = spansOf(record({ outcome: "client-left" }), "https://agent.example");
  expect(span).not.toHaveProperty("status");
  expect(attributesOf(span)).toMatchObject({ "curlew.outcome": "client-left" });
  expect(attributesOf(span)).not.toHaveProperty(["error.type"]);
});

it("is named by its operation alone when the request could not be read", () => {
  const [span] = spansOf(record({ askedModel: "", outcome: "invalid_json" }), "https://agent.example");
  expect(span?.name).toBe("chat");
  expect(attributesOf(span)).not.toHaveProperty(["gen_ai.request.model"]);
});

it("is a text completion in the dialect of completions", () => {
  const [span] = spansOf(record({ dialect: "openai-completions" }), "https://agent.example");
  expect(span?.name).toBe("text_completion gpt-5");
});

it("holds no more of a client's words for a model than a name is long", () => {
  const [span] = spansOf(record({ askedModel: "x".repeat(5_000) }), "https://agent.example");
  expect(JSON.stringify(span).length).toBeLessThan(3_000);
});

it("ends no span before it begins, though the clock was set back", () => {
  const startedMs = 1_800_000_000_000;
  const pauses = [{ startedMs: startedMs + 200, endedMs: startedMs - 5_000, calls: 1 }];
  const times = { plannedMs: startedMs - 4_000, firstByteMs: startedMs - 3_000, endedMs: startedMs - 2_000 };
  const [request, tools] = spansOf(record({ stream: true, pauses, ...times }), "https://agent.example");
  const [start, later] = ["1800000000000000000", "1800000000200000000"];
  expect(request).toMatchObject({ startTimeUnixNano: start, endTimeUnixNano: start });
  expect(request?.events?.map(({ timeUnixNano }) => timeUnixNano)).toEqual([start, start]);
  expect(attributesOf(request)).toMatchObject({ "gen_ai.response.time_to_first_chunk": 0 });
  expect(tools).toMatchObject({ startTimeUnixNano: later, endTimeUnixNano: later });
});
