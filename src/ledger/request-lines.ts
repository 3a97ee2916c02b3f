import type { RequestRecord } from "../events/index.js";
import { JsonBytes } from "./json-bytes.js";
import type { EndedItem } from "./log-item.js";
import { entryOf, type Peaks, writeDetail, writeEntry, writeReceived } from "./write-entry.js";

/** Writes the lines about requests, one after the other in the same buffer. `readLine` reads them again. */
export class RequestLines {
  readonly #line = new JsonBytes();

  /** The buffer that the last line is in, from the start. */
  get bytes(): Buffer {
    return this.#line.bytes;
  }

  get length(): number {
    return this.#line.length;
  }

  received(key: string, record: RequestRecord): void {
    const line = this.#line;
    line.clear();
    line.raw("r\t");
    line.raw(key);
    line.raw("\t");
    writeReceived(line, record);
    line.raw("\n");
  }

  /** Returns what is to be booked, with copies of what stands in the line. */
  ended(
    key: string,
    record: RequestRecord,
    { endedMs, keepsTexts, peaks }: { endedMs: number; keepsTexts: boolean; peaks: Peaks },
  ): EndedItem {
    const entry = entryOf(record, endedMs);
    const line = this.#line;
    line.clear();
    line.raw("e\t");
    const textStart = line.length;
    writeEntry(line, entry);
    const text = line.copy(textStart, line.length);
    line.raw("\t");
    const detailStart = line.length;
    line.raw(key);
    line.raw("\t");
    writeDetail(line, record, keepsTexts, peaks);
    line.raw("\n");
    const detailLine = line.copy(detailStart, line.length);
    const { openRequests, openRuns } = peaks;
    return { type: "ended", key, entry, text, detailLine, openRequests, openRuns };
  }
}
