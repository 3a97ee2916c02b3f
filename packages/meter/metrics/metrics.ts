import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { listen } from "@curlew/gateway/turn/events/channels.js";
import { tokenKinds } from "../ledger/entry.js";
import { type Counts, EventCounters, type KnownNames, type Series } from "./event-counters.js";
import { Exposition, type Labels, type Sample } from "./exposition.js";

/** Read on every scrape; costs nothing otherwise. */
export interface MetricsReadings {
  readonly openRuns: number;
  readonly parkedRuns: number;
  /** Unknown messages from upstream: by kind, and by kind and field number, such as `update 25`. */
  readonly drift: Readonly<Record<string, number>>;
  readonly lostLogLines: number;
  /** Undefined until the store knows its size. */
  readonly store: { readonly lineages: number; readonly bytes: number } | undefined;
}

export interface MetricsDeps {
  /** Id of the gateway whose events are counted. */
  readonly gatewayId: string;
  readonly build: Readonly<Record<"version" | "backend", string>>;
  readonly names: KnownNames;
  readonly read: () => MetricsReadings;
  readonly clock: Pick<Clock, "after">;
  readonly onProblem: (problem: unknown) => void;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Starts counting. */
export function createMetrics({ gatewayId, build, names, read, clock, onProblem }: MetricsDeps) {
  const counters = new EventCounters(names);
  const stop = listen(gatewayId, counters.listeners, onProblem);
  const delay = new EventLoopDelay(clock);
  return {
    contentType: Exposition.contentType,
    /** Turn requests being answered. */
    get openRequests(): number {
      return counters.openRequests;
    },
    /** Everything in Prometheus' text format. */
    text(): string {
      const out = new Exposition();
      out.gauge("curlew_build_info", "Version and backend; always 1.", [[{ ...build, node: process.version }, 1]]);
      writeRequests(out, counters);
      writeRuns(out, counters, read());
      writeProcess(out, delay);
      return out.toString();
    },
    close(): void {
      stop();
      delay.stop();
    },
  };
}

// Names are prefixed with the product's, because a Prometheus server may scrape other gateways too.

function writeRequests(out: Exposition, counters: EventCounters): void {
  const byOutcome = samplesBy("dialect", counters.requests, "outcome");
  out.counter("curlew_requests_total", "Finished turn requests, by dialect and outcome.", byOutcome);
  out.gauge("curlew_open_requests", "Turn requests being answered.", counters.openRequests);
  const firstByte = "Time from a request to the first byte of its answer.";
  out.histogram("curlew_request_first_byte_seconds", firstByte, counters.firstByteSeconds);
  out.histogram("curlew_request_duration_seconds", "Time from a request to its end.", counters.durationSeconds);
  const batches = "Batches of deltas sent to clients, each in one write.";
  out.counter("curlew_reply_batches_total", batches, counters.batches);
  out.counter("curlew_reply_bytes_total", "Bytes of answers sent to clients.", counters.bytes);
  const continuity = samplesOf(counters.continuity, "continuity");
  out.counter("curlew_replies_total", "Replies, by how their conversation was continued.", continuity);
  const misses = samplesOf(counters.cacheMisses, "cause");
  out.counter("curlew_cache_misses_total", "Turns that missed the model's cache, by what had changed.", misses);
  const sentAgain = "Estimated tokens of conversations that were resent.";
  out.counter("curlew_sent_again_tokens_total", sentAgain, counters.sentAgainTokens);
  const turns: Sample[] = [];
  const tokens: Sample[] = [];
  for (const [model, { measured, estimated }] of counters.models.entries()) {
    for (const [source, sums] of Object.entries({ measured, estimated })) {
      if (sums.turns === 0) continue;
      turns.push([{ model, source }, sums.turns]);
      for (const each of tokenKinds) {
        const kind = each.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`); // `cache_read` for `cacheRead`
        tokens.push([{ model, source, kind }, sums.tokens[each]]);
      }
    }
  }
  out.counter("curlew_turns_total", "Turns whose tokens are counted below, by model.", turns);
  const kinds =
    "Tokens by model and kind, measured by Cursor or estimated by Curlew. Input includes the cache, output the reasoning.";
  out.counter("curlew_tokens_total", kinds, tokens);
  const answers = "Failures answered by the circuit breaker, without asking Cursor.";
  out.counter("curlew_breaker_answers_total", answers, counters.breakerAnswers);
  const notices = samplesBy("limit", counters.limits, "action");
  out.counter("curlew_limit_notices_total", "Warnings, refusals and delays by the owner's limits.", notices);
}

function writeRuns(out: Exposition, counters: EventCounters, readings: MetricsReadings): void {
  const ofBackends = (name: "runs" | "retries") =>
    Array.from(counters.backends.entries(), ([backend, sums]): Sample => [{ backend }, sums[name]]);
  out.counter("curlew_runs_total", "Runs started at Cursor, including retries.", ofBackends("runs"));
  out.gauge("curlew_open_runs", "Runs at Cursor that are producing a reply.", readings.openRuns);
  out.gauge("curlew_parked_runs", "Runs at Cursor that wait for tool results.", readings.parkedRuns);
  const abandoned = samplesOf(counters.abandonedRuns, "reason");
  out.counter("curlew_abandoned_runs_total", "Runs abandoned while waiting for results.", abandoned);
  out.counter("curlew_retries_total", "Repeated attempts at Cursor.", ofBackends("retries"));
  const errors = samplesBy("retried", counters.upstreamErrors, "code");
  out.counter("curlew_upstream_errors_total", "Attempts at Cursor that failed, by error code.", errors);
  out.counter("curlew_upstream_sent_bytes_total", "Bytes sent to Cursor for turns.", counters.total.sentBytes);
  const received = "Bytes received from Cursor for turns.";
  out.counter("curlew_upstream_received_bytes_total", received, counters.total.receivedBytes);
  const renewals = samplesOf(counters.renewals, "outcome");
  out.counter("curlew_token_renewals_total", "Renewals of the access token, by outcome.", renewals);
  const { messages, fields } = driftSamples(readings.drift);
  const unknown = "Messages from Cursor of a kind unknown to this version.";
  out.counter("curlew_drift_messages_total", unknown, messages);
  out.counter("curlew_drift_fields_total", "The unknown fields of these messages, by number.", fields);
  const { store } = readings;
  if (store !== undefined) {
    out.gauge("curlew_store_bytes", "Size of the conversation state.", store.bytes);
    out.gauge("curlew_store_conversations", "Stored conversations and responses.", store.lineages);
  }
  out.counter("curlew_lost_log_lines_total", "Log lines that could not be written.", readings.lostLogLines);
}

function writeProcess(out: Exposition, delay: EventLoopDelay): void {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const delays = Object.entries(delay.read()).map(([statistic, value]): Sample => [{ statistic }, value]);
  const late = "Event loop delay since the last scrape.";
  out.gauge("curlew_event_loop_delay_seconds", late, delays);
  out.gauge("curlew_memory_bytes", "Memory of the JavaScript engine.", [
    [{ kind: "heap_used" }, heapUsed],
    [{ kind: "heap_total" }, heapTotal],
    [{ kind: "external" }, external],
    [{ kind: "array_buffers" }, arrayBuffers],
  ]);
  // The standard names of Prometheus client libraries.
  out.gauge("process_resident_memory_bytes", "Memory of the process.", rss);
  out.counter("process_cpu_seconds_total", "CPU time of the process.", (user + system) / 1e6);
  const startedSeconds = (Date.now() - process.uptime() * 1_000) / 1_000;
  out.gauge("process_start_time_seconds", "Start time of the process, since 1970.", Math.round(startedSeconds));
}

function driftSamples(drift: Readonly<Record<string, number>>) {
  const messages: Sample[] = [];
  const fields: Sample[] = [];
  for (const [name, count] of Object.entries(drift)) {
    const [message = "", field] = name.split(" ");
    if (field === undefined) messages.push([{ message }, count]);
    else fields.push([{ message, field }, count]);
  }
  return { messages, fields };
}

function samplesBy(outer: string, series: Series<Counts>, label: string): Sample[] {
  return [...series.entries()].flatMap(([value, counts]) => samplesOf(counts, label, { [outer]: value }));
}

function samplesOf(counts: Counts, label: string, labels: Labels = {}): Sample[] {
  return Array.from(counts.entries(), ([value, { count }]) => [{ ...labels, [label]: value }, count]);
}

/** Node wakes up this often to measure, which takes 0.05 % of a core; with its default of 10 ms it is 0.4 %. */
const RESOLUTION_MS = 100;
/** Measuring stops after this long without a read: Prometheus' longest sensible interval is two minutes. */
const UNREAD_MS = 5 * 60_000;
const NANOSECONDS = 1e9;

/** Measures event loop delay, but only while the metrics are being read, so that an idle gateway stays idle. */
export class EventLoopDelay {
  readonly #clock: Pick<Clock, "after">;
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #cancelStop: (() => void) | undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The delays since the last read, in seconds; all 0 at the first. */
  read() {
    const histogram = this.#histogram;
    const isEmpty = this.#cancelStop === undefined || histogram.count === 0;
    this.#cancelStop?.();
    this.#cancelStop = this.#clock.after(UNREAD_MS, () => this.stop());
    const seconds = (nanoseconds: number) =>
      isEmpty ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000);
    const delays = {
      median: seconds(histogram.percentile(50)),
      p99: seconds(histogram.percentile(99)),
      max: seconds(histogram.max),
    };
    histogram.reset();
    histogram.enable();
    return delays;
  }

  stop(): void {
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    this.#histogram.disable();
  }
}
