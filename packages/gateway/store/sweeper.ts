import { everything, factsOf, groupOf } from "./key.js";
import { decodeRecord, type Record } from "./record.js";
import type { Tables } from "./tables.js";

/** While the store is over its limit, a sweep begins whenever this share of the limit has been written or refused since the last one. */
const SWEEP_SHARE = 1 / 32;
/** The pause between two slices of a sweep that is not urgent, so that it takes only a part of the time. */
const REST_BETWEEN_SLICES_MS = 10;
/** The pause while the disk is behind: pending writes fill the memory, and each slice would add to them. */
const REST_BEHIND_MS = 50;
/** An unchanged store is still swept this often, because other processes may have changed it. */
const MAX_IDLE_MS = 60 * 60 * 1000;
/** How long content is kept without a row that leads to it: its run may still be under way. */
const UNNAMED_MS = 60 * 60 * 1000;
/** A slice is short enough that no stream visibly pauses. */
const DEFAULT_SLICE_WORK = 1_500;
/** Lineages are sorted in spans, and these in parts: sorting very many at once would block the event loop for long. */
const SORTED_SPAN_MS = 10 * 60_000;
const SORTED_PART_MS = 1_000;
/** The cost of the steps of a sweep, in microseconds. Counted, not timed, so that sweeps are deterministic. */
const work = { key: 2, droppedRow: 30, droppedKilobyte: 0.5 };
/** The rough size of what leads to a row: its key and its names. */
const TRACKING_BYTES = 200;

/** The bytes that a record of this length counts for. */
export function sizeOf(bytes: number): number {
  return bytes + TRACKING_BYTES;
}

interface SweeperDeps {
  readonly tables: Tables;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly sliceWork?: number | undefined;
  readonly now: () => number;
  /** A row was dropped. Without a record, it could not be read. */
  readonly onDrop: (row: Buffer, record: Record | undefined) => void;
}

export interface StoreStats {
  readonly lineages: number;
  readonly rows: number;
  readonly bytes: number;
}

export interface Swept {
  readonly isDone: boolean;
}

type Counts = { -readonly [Count in keyof StoreStats]: number };

interface Lineage {
  readonly group: Buffer;
  /** When its newest row was put. */
  newestMs: number;
  isNamed: boolean;
}

/** Evicts lineages that are too old, and the oldest while the store is over its limit, in slices. Knows whether there is room. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  /** The counts of the last sweep. */
  #counts: Counts | undefined;
  #bytes = 0;
  /** The change in size since the last sweep began. */
  #changedBytes = 0;
  /** The current sweep. */
  #pass: Generator<number, void, undefined> | undefined;
  /** Set while a slice is scheduled; cancels it. */
  #cancelSlice: (() => void) | undefined;
  #isSliceUrgent = false;
  #isClosed = false;
  /** Bytes that writes have asked for since the last sweep began. */
  #askedBytes = 0;
  /** Whether this process has changed anything since the last sweep began. */
  #hasChanged = true;
  /** A sweep before this moment would find nothing to do, unless something changes. */
  #idleUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  get stats(): StoreStats | undefined {
    return this.#counts && { ...this.#counts, bytes: this.#bytes };
  }

  sweep(nowMs: number): Swept {
    if (this.#pass === undefined) {
      if (!this.#hasChanged && nowMs < this.#idleUntilMs && !this.#isOver(this.#deps.maxBytes)) return { isDone: true };
      this.#askedBytes = 0;
      this.#hasChanged = false;
      this.#pass = this.#run(nowMs);
    }
    let isDone = false;
    for (let left = this.#deps.sliceWork ?? DEFAULT_SLICE_WORK; left > 0 && !isDone; ) {
      const step = this.#pass.next();
      isDone = step.done === true;
      left -= step.value ?? 0;
    }
    this.#cancelSlice?.();
    this.#cancelSlice = undefined;
    if (isDone) this.#pass = undefined;
    else this.#sweepSoon(this.#isOver(this.#deps.maxBytes));
    return { isDone };
  }

  /** Notes that rows of this size were put, or, if it is negative, removed. */
  noteChange(bytes: number): void {
    this.#hasChanged = true;
    this.#bytes = Math.max(0, this.#bytes + bytes);
    this.#changedBytes += bytes;
  }

  /** Whether this many more bytes may be written. Starts a sweep when there are too many already. */
  hasRoom(bytes: number): boolean {
    const { tables, maxBytes, now } = this.#deps;
    if (tables.isFull() || bytes > maxBytes / 4) return false;
    this.#askedBytes += bytes;
    const isDue = this.#pass !== undefined || this.#askedBytes >= maxBytes * SWEEP_SHARE;
    if (isDue && this.#isOver(maxBytes - bytes)) {
      // At most one slice runs in one turn of the event loop.
      if (this.#isOver(maxBytes * 1.25 - bytes) && this.#cancelSlice === undefined) this.sweep(now());
      else this.#sweepSoon(true);
    }
    return !this.#isOver(maxBytes * 1.25 - bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSlice?.();
  }

  *#run(nowMs: number): Generator<number, void, undefined> {
    const { maxBytes, maxAgeMs } = this.#deps;
    const counted = { lineages: 0, rows: 0, bytes: 0 };
    let dueMs = nowMs + MAX_IDLE_MS;
    this.#changedBytes = 0;
    for (const lineage of this.#lineages(counted)) {
      if (typeof lineage === "number") {
        yield lineage;
        continue;
      }
      const { newestMs, isNamed } = lineage;
      const diesMs = newestMs + (isNamed ? maxAgeMs : UNNAMED_MS);
      if (diesMs < nowMs) yield* this.#drop(lineage, counted);
      else dueMs = Math.min(dueMs, diesMs);
    }
    // What was put meanwhile may be counted twice, until the next sweep counts again.
    this.#bytes = Math.max(0, counted.bytes + this.#changedBytes);
    this.#counts = counted;
    if (this.#isOver(maxBytes)) yield* this.#dropSurplus(counted);
    this.#idleUntilMs = dueMs;
  }

  /** Yields the lineages one by one, and between them the work that was done. Only `#dropSurplus` collects them. */
  *#lineages(counted: Counts): Generator<Lineage | number, void, undefined> {
    let current: Lineage | undefined;
    for (const key of this.#deps.tables.rows.keys(everything)) {
      yield work.key;
      if (current === undefined || !groupOf(key).equals(current.group)) {
        if (current !== undefined) yield current;
        current = { group: groupOf(key), newestMs: 0, isNamed: false };
        counted.lineages++;
      }
      const { putMs, isNamed, size } = factsOf(key);
      current.newestMs = Math.max(current.newestMs, putMs);
      current.isNamed ||= isNamed;
      counted.rows++;
      counted.bytes += size;
    }
    if (current !== undefined) yield current;
  }

  *#dropSurplus(counted: Counts): Generator<number, void, undefined> {
    const { maxBytes } = this.#deps;
    const spans = new Map<number, Lineage[]>();
    for (const lineage of this.#lineages({ lineages: 0, rows: 0, bytes: 0 })) {
      if (typeof lineage === "number") yield lineage;
      else addTo(spans, lineage, SORTED_SPAN_MS);
    }
    for (const span of inOrder(spans)) {
      const parts = new Map<number, Lineage[]>();
      for (const lineage of span) addTo(parts, lineage, SORTED_PART_MS);
      for (const part of inOrder(parts)) {
        for (const oldest of part.sort((a, b) => a.newestMs - b.newestMs)) {
          if (this.#bytes <= maxBytes - maxBytes / 16) return;
          yield* this.#drop(oldest, counted);
        }
      }
    }
  }

  /** Drops a lineage, unless it has grown meanwhile, here or in another process. */
  *#drop({ group, newestMs }: Lineage, counted: Counts): Generator<number, void, undefined> {
    const { tables, onDrop } = this.#deps;
    const keys = [...tables.rows.keys(group)];
    yield keys.length * work.key;
    if (keys.some((key) => factsOf(key).putMs > newestMs)) return;
    counted.lineages--;
    // Newest first: a checkpoint needs the content of older rows.
    for (const key of keys.reverse()) {
      const stored = tables.rows.get(key);
      const { size } = factsOf(key);
      tables.rows.remove(key);
      this.#bytes = Math.max(0, this.#bytes - size);
      counted.rows--;
      counted.bytes -= size;
      onDrop(key, decodeRecord(stored));
      yield work.droppedRow + ((stored?.length ?? 0) / 1024) * work.droppedKilobyte;
    }
  }

  #sweepSoon(isUrgent: boolean): void {
    if (this.#isClosed || (this.#cancelSlice !== undefined && (!isUrgent || this.#isSliceUrgent))) return;
    this.#cancelSlice?.();
    this.#isSliceUrgent = isUrgent;
    if (isUrgent) {
      const slice = setImmediate(() => this.#scheduledSlice()).unref();
      this.#cancelSlice = () => clearImmediate(slice);
    } else this.#sliceAfter(REST_BETWEEN_SLICES_MS);
  }

  #sliceAfter(restMs: number): void {
    const slice = setTimeout(() => this.#scheduledSlice(), restMs).unref();
    this.#cancelSlice = () => clearTimeout(slice);
  }

  #scheduledSlice(): void {
    if (this.#deps.tables.isBehind()) this.#sliceAfter(REST_BEHIND_MS);
    else this.sweep(this.#deps.now());
  }

  #isOver(bytes: number): boolean {
    return this.#bytes > bytes;
  }
}

function addTo(spans: Map<number, Lineage[]>, lineage: Lineage, spanMs: number): void {
  const span = Math.floor(lineage.newestMs / spanMs);
  const others = spans.get(span);
  if (others === undefined) spans.set(span, [lineage]);
  else others.push(lineage);
}

function inOrder(spans: ReadonlyMap<number, Lineage[]>): Lineage[][] {
  return [...spans].sort(([a], [b]) => a - b).map(([, lineages]) => lineages);
}
