import { everything } from "../key.js";
import { decodeFreshness } from "../record.js";
import type { Swept } from "../store.js";
import { work } from "../sweep-work.js";
import type { Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import { BlobRelease, type BlobReleaseDeps } from "./blob-release.js";
import { KeptCheckpoints } from "./kept-checkpoints.js";
import { OldestFirst } from "./oldest-first.js";

interface KeptNote {
  readonly key: Buffer;
  readonly putMs: number;
}

/** The notes as a sweep knows them, by their age. Notes that are put meanwhile are left to the next sweep. */
class KeptNotes {
  count = 0;
  readonly #tables: Tables;
  readonly #ledger: Ledger;
  readonly #byAge = new OldestFirst<Buffer>();

  constructor(tables: Tables, ledger: Ledger) {
    this.#tables = tables;
    this.#ledger = ledger;
  }

  *read(): Generator<number, undefined> {
    for (const row of this.#tables.noteMarks.rows(everything)) {
      if (row !== undefined) {
        this.count++;
        this.#byAge.push(decodeFreshness(row.value)?.putMs ?? 0, row.key);
      }
      yield work.row;
    }
  }

  oldest(): KeptNote | undefined {
    const oldest = this.#byAge.oldest((key) => {
      const row = this.#tables.noteMarks.get(key);
      return row === undefined ? undefined : (decodeFreshness(row)?.putMs ?? 0);
    });
    return oldest && { key: oldest.item, putMs: oldest.timeMs };
  }

  drop({ key }: KeptNote): void {
    const { notes, noteMarks } = this.#tables;
    const bytes = decodeFreshness(noteMarks.get(key))?.bytes ?? 0;
    notes.remove(key);
    noteMarks.remove(key);
    this.count--;
    this.#ledger.adjust({ bytes: -costOf(bytes) });
  }
}

const MAX_NOTES = 10_000;
/** A slice is short enough that no stream visibly pauses. */
const DEFAULT_SLICE_WORK = 1_500;

export interface SweepDeps extends BlobReleaseDeps {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly sliceWork?: number | undefined;
}

/**
 * One pass through a store, in slices between which the store is used. It drops what is too old or above the limit, oldest first,
 * and every blob that no checkpoint reaches. When a pass is interrupted, the next one finishes its work.
 */
export class SweepPass {
  /** The store notifies these of checkpoints that come and go meanwhile. */
  readonly checkpoints: KeptCheckpoints;
  readonly #deps: SweepDeps;
  readonly #notes: KeptNotes;
  readonly #blobs: BlobRelease;
  readonly #steps: Generator<number, undefined>;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
    this.checkpoints = new KeptCheckpoints(deps.tables, deps.ledger);
    this.#notes = new KeptNotes(deps.tables, deps.ledger);
    this.#blobs = new BlobRelease(deps, this.checkpoints);
    this.#steps = this.#run();
  }

  slice(): Swept {
    let isDone = false;
    for (let left = this.#deps.sliceWork ?? DEFAULT_SLICE_WORK; left > 0 && !isDone; ) {
      const step = this.#steps.next();
      isDone = step.done === true;
      left -= step.value ?? 0;
    }
    this.#deps.ledger.save();
    return { isDone };
  }

  /** After the last slice: the moment at which a further pass would find something to do, if the store did not change. */
  dueMs(): number {
    const { loose, unlinked, oldestMs } = this.checkpoints;
    if (loose.size > 0 || unlinked.size > 0) return Number.NEGATIVE_INFINITY;
    return Math.min(
      this.#blobs.dueMs,
      Math.min(oldestMs, this.#notes.oldest()?.putMs ?? oldestMs) + this.#deps.maxAgeMs,
    );
  }

  *#run(): Generator<number, undefined> {
    const { ledger, maxBytes } = this.#deps;
    yield* this.#notes.read();
    yield* ledger.recount();
    yield* this.checkpoints.readOpen();
    yield* this.#dropOld();
    yield* this.#blobs.linkKnown();
    yield* this.#blobs.settleLoose();
    yield* this.#blobs.dropUnreached(ledger.bytes > maxBytes);
    yield* this.#dropSurplus();
    yield* this.#blobs.settleLoose();
  }

  *#dropOld(): Generator<number, undefined> {
    const oldestMs = this.#deps.nowMs - this.#deps.maxAgeMs;
    if (this.checkpoints.oldestMs < oldestMs) yield* this.checkpoints.readAll();
    for (let oldest = this.checkpoints.oldest(); oldest !== undefined; oldest = this.checkpoints.oldest()) {
      if (oldest.usedMs >= oldestMs) break;
      this.checkpoints.drop(oldest);
      yield work.checkpoint;
    }
    for (let oldest = this.#notes.oldest(); oldest !== undefined; oldest = this.#notes.oldest()) {
      if (oldest.putMs >= oldestMs && this.#notes.count <= MAX_NOTES) break;
      this.#notes.drop(oldest);
      yield work.checkpoint;
    }
  }

  *#dropSurplus(): Generator<number, undefined> {
    const { ledger, maxBytes } = this.#deps;
    if (ledger.bytes <= maxBytes) return;
    yield* this.checkpoints.readAll();
    while (ledger.bytes > maxBytes - maxBytes / 16) {
      const checkpoint = this.checkpoints.oldest();
      const note = this.#notes.oldest();
      if (note !== undefined && note.putMs <= (checkpoint?.usedMs ?? Number.POSITIVE_INFINITY)) this.#notes.drop(note);
      else if (checkpoint === undefined) return;
      else {
        this.checkpoints.drop(checkpoint);
        // Blobs are most of the bytes, so they must be gone before the next checkpoint is judged.
        if (checkpoint.thread.checkpoints.size === 0) yield* this.#blobs.settle(checkpoint.thread);
      }
      yield work.checkpoint;
    }
  }
}
