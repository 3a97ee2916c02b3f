const HOUR_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const DAY_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Finds the hours and days of the machine's time zone in which moments lie. Neighbouring moments are found at once. */
export class Spans {
  #hourMs = Number.NaN;
  #day = { startMs: Number.NaN, endMs: Number.NaN, text: "" };

  /** Hours begin with the hours of the clock on the wall, also where that is half an hour off. */
  startOfHour(ms: number): number {
    if (ms >= this.#hourMs && ms < this.#hourMs + HOUR_MS) return this.#hourMs;
    const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
    this.#hourMs = Math.floor((ms - offsetMs) / HOUR_MS) * HOUR_MS + offsetMs;
    return this.#hourMs;
  }

  /** Days have 23 or 25 hours when the clocks change. */
  startOfDay(ms: number): number {
    return this.#dayOf(ms).startMs;
  }

  /** Such as `2026-11-15`. */
  dayText(ms: number): string {
    return this.#dayOf(ms).text;
  }

  #dayOf(ms: number): { readonly startMs: number; readonly text: string } {
    const { startMs, endMs } = this.#day;
    if (ms < startMs || ms >= endMs || Number.isNaN(startMs)) {
      this.#day = { startMs: midnight(ms, 0), endMs: midnight(ms, 1), text: dayText(ms) };
    }
    return this.#day;
  }
}

/** When the day begins that is this many days after the one of a moment. */
export function midnight(ms: number, daysLater: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

/** When a day such as `2026-11-15` begins; undefined if there is no such day. */
export function dayStart(day: string): number | undefined {
  const [, year, month, date] = DAY_TEXT.exec(day)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const start = new Date(year, month - 1, date);
  return start.getMonth() === month - 1 && start.getDate() === date ? start.getTime() : undefined;
}

/** The day of a moment, such as `2026-11-15`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
