import { randomBytes } from "node:crypto";
import { OWNER_BYTES, ownerOf, threadKey } from "./key.js";
import { decodeMark, encodeMark, present } from "./record.js";
import { threadOf } from "./sweep/kept-checkpoints.js";
import type { Sweeper } from "./sweep/sweeper.js";
import type { Tables } from "./tables.js";
import { costOf, type Ledger } from "./totals.js";

/** Marks are refreshed this often at most. Used checkpoints must not look older than unused ones, even in a small store that fills fast. */
const REFRESH_MARK_MS = 1_000;

interface CheckpointRowsDeps {
  readonly tables: Tables;
  readonly ledger: Ledger;
  readonly sweeper: Sweeper;
  readonly now: () => number;
}

export class CheckpointRows {
  readonly #deps: CheckpointRowsDeps;
  readonly #tables: Tables;

  constructor(deps: CheckpointRowsDeps) {
    this.#deps = deps;
    this.#tables = deps.tables;
  }

  put(row: Buffer, conversationId: string, record: Buffer): void {
    const before = this.#tables.checkpoints.get(row);
    if (before !== undefined && record.equals(before)) {
      this.refresh(row, conversationId, record.length); // Cursor sends the last checkpoint of a turn up to three times
      return;
    }
    this.remove(row);
    this.#tables.checkpoints.put(row, record);
    this.#changeThread(threadKey(ownerOf(row), conversationId));
    this.#putMark(row, conversationId, record.length, false);
    this.#deps.ledger.add({ checkpoints: 1, bytes: costOf(record.length) });
  }

  remove(row: Buffer): void {
    const markRow = this.#tables.marks.get(row);
    if (markRow === undefined && !this.#tables.checkpoints.has(row)) return;
    this.#tables.checkpoints.remove(row);
    this.#tables.marks.remove(row);
    const mark = decodeMark(markRow);
    const thread = mark && threadOf(row, mark);
    this.#deps.sweeper.noteChange();
    this.#deps.sweeper.watching?.noteRemoval(row, thread);
    if (mark === undefined || thread === undefined) return;
    this.#tables.loose.put(thread, present);
    this.#deps.ledger.add({ checkpoints: -1, bytes: -costOf(mark.bytes) });
  }

  refresh(row: Buffer, conversationId: string, bytes: number): void {
    const mark = decodeMark(this.#tables.marks.get(row));
    if (mark !== undefined && this.#deps.now() - mark.usedMs < REFRESH_MARK_MS) return;
    this.#putMark(row, conversationId, bytes, mark?.isLinked ?? false);
  }

  #changeThread(thread: Buffer): void {
    const before = this.#tables.threads.get(thread);
    const row = randomBytes(8);
    this.#tables.threads.put(thread, row);
    this.#deps.sweeper.watching?.noteThread(thread, before, row);
  }

  #putMark(row: Buffer, conversationId: string, bytes: number, isLinked: boolean): void {
    const conversation = threadKey(ownerOf(row), conversationId).subarray(OWNER_BYTES);
    const mark = { usedMs: this.#deps.now(), bytes, conversation, isLinked };
    this.#tables.marks.put(row, encodeMark(mark));
    this.#deps.sweeper.watching?.noteMark(row, mark);
  }
}
