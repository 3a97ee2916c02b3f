import type { Clock } from "@curlew/gateway/system/clock.js";
import { listen, type RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { entryOf } from "@curlew/meter/ledger/index.js";
import type { HealthState, LiveState, Sums } from "../access/contract.js";
import { pageEntry } from "./request-story.js";

/** Throttle: changes within this time are sent together, at most four messages a second. */
const EVERY_MS = 250;
/** Sums are polled from the ledger. */
const SUMS_EVERY_MS = 2_000;
/** Backends and MCP servers change without an event, so they are polled. */
const LOOK_EVERY_MS = 2_000;
/** Keep-alive, for the page and for proxies. */
const BEAT_EVERY_MS = 20_000;
const BEAT = Buffer.from(": nothing new\n\n");
/** A page that has read nothing for this many beats is considered gone. */
const MAX_MISSED_BEATS = 3;
/** Ended requests per message; more could not be followed anyway. */
const MAX_ENDED = 40;

export interface LiveListener {
  /** False while earlier bytes are still buffered (back-pressure). */
  readonly isReady: boolean;
  /** The buffer is shared with other pages. */
  send(bytes: Buffer): void;
  end(): void;
}

interface FeedDeps {
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly live: () => LiveState;
  readonly health: () => HealthState;
  readonly today: () => Promise<Sums>;
  readonly onProblem: (problem: unknown) => void;
}

/** The parts of a message, as JSON. */
type Parts = Partial<Record<"live" | "health" | "today", string>>;

interface Reader {
  readonly listener: LiveListener;
  /** The parts last sent to it. */
  told: Parts;
  /** Requests that ended while it was not ready. */
  missedRequests: number;
  missedBeats: number;
}

/** Pushes live state to pages. Listens to events only while a page is connected, and then only sets flags per request. */
export class LiveFeed {
  readonly #deps: FeedDeps;
  readonly #readers = new Set<Reader>();
  /** The latest state of all parts. */
  #parts: Parts = {};
  /** The newest requests that ended since the last message, oldest first, and the number of all. */
  #ended: RequestRecord[] = [];
  #endedCount = 0;
  /** Empty while no page is connected. */
  #stops: (() => void)[] = [];
  #hasChanged = true;
  #hasTold = false;
  #areSumsOld = true;
  #isSumming = false;
  #summedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#readers.size;
  }

  /** The first messages have all parts. */
  join(listener: LiveListener): { leave(): void } {
    const reader = { listener, told: {}, missedRequests: 0, missedBeats: 0 };
    this.#readers.add(reader);
    if (this.#stops.length === 0) this.#start();
    return {
      leave: () => {
        this.#readers.delete(reader);
        if (this.#readers.size === 0) for (const stop of this.#stops.splice(0)) stop();
      },
    };
  }

  #start(): void {
    const { clock, onProblem, gatewayId } = this.#deps;
    // State from before the last page left is stale.
    this.#parts = {};
    this.#ended = [];
    this.#endedCount = 0;
    this.#hasChanged = true;
    this.#summedMs = Number.NEGATIVE_INFINITY;
    this.#isSumming = false;
    const change = () => {
      this.#hasChanged = true;
    };
    const changeSums = () => {
      this.#hasChanged = true;
      this.#areSumsOld = true;
    };
    const end = (record: RequestRecord) => {
      this.#ended.push(record);
      this.#endedCount++;
      if (this.#ended.length > MAX_ENDED) this.#ended.shift();
      changeSums();
    };
    const listeners = {
      "curlew:request:received": change,
      "curlew:request:planned": change,
      "curlew:request:opened": change,
      "curlew:request:resumed": change,
      "curlew:request:first-byte": change,
      "curlew:request:paused": change,
      "curlew:request:finished": end,
      "curlew:request:failed": end,
      "curlew:run:abandoned": changeSums,
    };
    this.#stops = [
      listen(gatewayId, listeners, onProblem),
      clock.every(EVERY_MS, () => this.#tick()),
      clock.every(LOOK_EVERY_MS, () => this.#look()),
      clock.every(BEAT_EVERY_MS, () => this.#beat()),
    ];
    this.#look();
    void this.#readSums();
  }

  #look(): void {
    this.#parts.health = JSON.stringify(this.#deps.health());
  }

  #tick(): void {
    try {
      this.#tell();
    } catch (problem) {
      this.#deps.onProblem(problem);
    }
    if (this.#areSumsOld) void this.#readSums();
  }

  async #readSums(): Promise<void> {
    const { clock, today, onProblem } = this.#deps;
    if (this.#isSumming || clock.elapsed() - this.#summedMs < SUMS_EVERY_MS) return;
    this.#summedMs = clock.elapsed();
    this.#areSumsOld = false;
    this.#isSumming = true;
    try {
      this.#parts.today = JSON.stringify(await today());
    } catch (problem) {
      onProblem(problem);
    }
    this.#isSumming = false;
  }

  #tell(): void {
    const { clock, live } = this.#deps;
    if (this.#hasChanged) this.#parts.live = JSON.stringify(live());
    this.#hasChanged = false;
    const nowMs = clock.now();
    const count = this.#endedCount;
    const entries = this.#ended.map((record) => pageEntry(entryOf(record, record.endedMs ?? nowMs)));
    const json = JSON.stringify(entries.reverse());
    this.#ended = [];
    this.#endedCount = 0;
    // Most pages get the same message; encode it once.
    const encoded = new Map<string, Buffer>();
    for (const reader of this.#readers) {
      const { listener } = reader;
      if (!listener.isReady) {
        reader.missedRequests += count;
        continue;
      }
      const skipped = count - entries.length + reader.missedRequests;
      const ended = `event: ended\ndata: {"entries":${json},"skipped":${skipped}}\n\n`;
      const hasEnded = entries.length + skipped > 0;
      const text = nowEvent(this.#parts, reader.told, nowMs) + (hasEnded ? ended : "");
      reader.told = { ...this.#parts };
      reader.missedRequests = 0;
      reader.missedBeats = 0;
      if (text === "") continue;
      this.#hasTold = true;
      const bytes = encoded.get(text) ?? Buffer.from(text);
      encoded.set(text, bytes);
      listener.send(bytes);
    }
  }

  #beat(): void {
    for (const reader of this.#readers) {
      const { listener } = reader;
      if (!listener.isReady && ++reader.missedBeats >= MAX_MISSED_BEATS) listener.end();
      else if (listener.isReady && !this.#hasTold) listener.send(BEAT);
    }
    this.#hasTold = false;
    // The day may have ended, and other processes write to the same ledger.
    this.#areSumsOld = true;
  }
}

/** The parts that have changed since the last message to a page; empty if none. */
function nowEvent(parts: Parts, told: Parts, nowMs: number): string {
  const names = (["live", "health", "today"] as const).filter((name) => parts[name] !== told[name]);
  if (names.length === 0) return "";
  const fields = names.map((name) => `"${name}":${parts[name]}`);
  return `event: now\ndata: {"nowMs":${nowMs},${fields.join(",")}}\n\n`;
}
