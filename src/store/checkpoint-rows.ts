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

export function checkpointRows({ tables, ledger, sweeper, now }: CheckpointRowsDeps) {
  const changeThread = (thread: Buffer): void => {
    const before = tables.threads.get(thread);
    const row = randomBytes(8);
    tables.threads.put(thread, row);
    sweeper.watching?.noteThread(thread, before, row);
  };
  const putMark = (row: Buffer, conversationId: string, bytes: number, isLinked: boolean): void => {
    const conversation = threadKey(ownerOf(row), conversationId).subarray(OWNER_BYTES);
    const mark = { usedMs: now(), bytes, conversation, isLinked };
    tables.marks.put(row, encodeMark(mark));
    sweeper.watching?.noteMark(row, mark);
  };
  const refresh = (row: Buffer, conversationId: string, bytes: number): void => {
    const mark = decodeMark(tables.marks.get(row));
    if (mark !== undefined && now() - mark.usedMs < REFRESH_MARK_MS) return;
    putMark(row, conversationId, bytes, mark?.isLinked ?? false);
  };
  const remove = (row: Buffer): void => {
    const markRow = tables.marks.get(row);
    if (markRow === undefined && !tables.checkpoints.has(row)) return;
    tables.checkpoints.remove(row);
    tables.marks.remove(row);
    const mark = decodeMark(markRow);
    const thread = mark && threadOf(row, mark);
    sweeper.noteChange();
    sweeper.watching?.noteRemoval(row, thread);
    if (mark === undefined || thread === undefined) return;
    tables.loose.put(thread, present);
    ledger.add({ checkpoints: -1, bytes: -costOf(mark.bytes) });
  };
  const put = (row: Buffer, conversationId: string, record: Buffer): void => {
    const before = tables.checkpoints.get(row);
    if (before !== undefined && record.equals(before)) {
      refresh(row, conversationId, record.length); // Cursor sends the last checkpoint of a turn up to three times
      return;
    }
    remove(row);
    tables.checkpoints.put(row, record);
    changeThread(threadKey(ownerOf(row), conversationId));
    putMark(row, conversationId, record.length, false);
    ledger.add({ checkpoints: 1, bytes: costOf(record.length) });
  };
  return { put, remove, refresh };
}
