import type { LedgerEntry } from "./entry.js";
import type { Spans } from "./spans.js";
import { readSums, rollUpKey, type Sums, sumsText } from "./sums.js";
import type { View } from "./view.js";

type SpanTable = "hours" | "days";

/** The sums to which the last request of a client with a model was added. */
interface LastSums {
  readonly hourMs: number;
  readonly hour: Sums;
  readonly day: Sums;
}

/** The sums of hours and days that change in one transaction. Each row is read once and written once. */
export class ChangedRollUps {
  readonly #view: View;
  readonly #spans: Spans;
  readonly #rows: Readonly<Record<SpanTable, Map<string, Sums>>> = { hours: new Map(), days: new Map() };
  /** By client and model: most requests belong to the same sums as the one before, and making a key costs more than adding up. */
  readonly #last = new Map<string, Map<string, LastSums>>();

  constructor(view: View, spans: Spans) {
    this.#view = view;
    this.#spans = spans;
  }

  /** The sums of the hour and the day of a request. */
  of(entry: LedgerEntry): Pick<LastSums, "hour" | "day"> {
    const { atMs, client, model } = entry;
    const hourMs = this.#spans.startOfHour(atMs);
    const last = this.#last.get(client)?.get(model);
    if (last?.hourMs === hourMs) return last;
    const found = {
      hourMs,
      hour: this.#row("hours", rollUpKey(hourMs, client, model)),
      day: this.#row("days", rollUpKey(this.#spans.startOfDay(atMs), client, model)),
    };
    const models = this.#last.get(client) ?? new Map<string, LastSums>();
    this.#last.set(client, models.set(model, found));
    return found;
  }

  /** Writes the sums into the view. */
  finish(): void {
    for (const table of ["hours", "days"] as const) {
      for (const [key, sums] of this.#rows[table]) {
        if (sums.requests > 0) this.#view.put(table, key, sumsText(sums));
        else this.#view.remove(table, key);
      }
    }
  }

  #row(table: SpanTable, key: string): Sums {
    const known = this.#rows[table].get(key);
    if (known !== undefined) return known;
    const sums = readSums(this.#view.get(table, key));
    this.#rows[table].set(key, sums);
    return sums;
  }
}
