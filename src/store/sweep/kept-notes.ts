import { everything } from "../key.js";
import { decodeFreshness } from "../record.js";
import { work } from "../sweep-work.js";
import type { Tables } from "../tables.js";
import { costOf, type Ledger } from "../totals.js";
import { OldestFirst } from "./oldest-first.js";

interface KeptNote {
  readonly key: Buffer;
  readonly putMs: number;
}

/** The notes as a sweep knows them, by their age. Notes that are put meanwhile are left to the next sweep. */
export class KeptNotes {
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
