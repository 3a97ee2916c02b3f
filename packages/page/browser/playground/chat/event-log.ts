import { Listeners } from "../../api/listeners.js";

export interface LoggedEvent {
  /** Position among the reply's events, from 1. */
  readonly number: number;
  /** Since the request was sent. */
  readonly atMs: number;
  readonly kind: string;
  readonly data: string;
  readonly chars: number;
}

const MAX_EVENT_CHARS = 20_000;
const MAX_CHARS = 2_000_000;
/** Share of the log dropped at once, oldest first, so that not every event triggers a drop. */
const DROPPED_SHARE = 0.25;

export class EventLog extends Listeners {
  #events: LoggedEvent[] = [];
  #chars = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The kept events, oldest first. */
  get kept(): readonly LoggedEvent[] {
    return this.#events;
  }

  push(atMs: number, kind: string, whole: string): void {
    const data = whole.slice(0, MAX_EVENT_CHARS);
    this.#count++;
    this.#chars += data.length;
    this.#events.push({ number: this.#count, atMs, kind, data, chars: whole.length });
    if (this.#chars > MAX_CHARS) this.#drop();
    this.tell();
  }

  forget(): void {
    this.#events = [];
    this.#chars = 0;
    this.tell();
  }

  #drop(): void {
    const target = MAX_CHARS * (1 - DROPPED_SHARE);
    const index = this.#events.findIndex(({ data }) => {
      if (this.#chars <= target) return true;
      this.#chars -= data.length;
      return false;
    });
    this.#events.splice(0, index);
  }
}

export function eventsText({ kept, count }: Pick<EventLog, "kept" | "count">): string {
  const left = count - kept.length;
  const head = left > 0 ? [`: ${left} earlier events are not kept\n\n`] : [];
  return [...head, ...kept.map(eventText)].join("");
}

function eventText({ atMs, data, chars }: LoggedEvent): string {
  const cut = chars > data.length ? `\n: ${chars - data.length} more characters` : "";
  return `: ${(atMs / 1_000).toFixed(3)} s\ndata: ${data.replaceAll("\n", "\ndata: ")}${cut}\n\n`;
}
