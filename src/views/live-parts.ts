import type { NowAnswer } from "../page/contract.js";
import type { EndedRequests } from "./ended-requests.js";

/** What a message may tell. Each has its bit, so that a set of them is a number. */
const bits = { live: 1, health: 2, today: 4 } as const;
export type PartName = keyof typeof bits;
const names = Object.keys(bits) as PartName[];

interface Part {
  /** As it was last; empty while it is not known. */
  json: string;
  /** Grows with each change. */
  version: number;
}

/** How much of the parts somebody has been told, by their versions. */
export type Told = Record<PartName, number>;

export function nothingTold(): Told {
  return { live: 0, health: 0, today: 0 };
}

/** The newest state of everything that is told, as text: what is sent is made once for all, and what has not changed is not sent. */
export class LiveParts {
  readonly #parts: Readonly<Record<PartName, Part>> = {
    live: { json: "", version: 0 },
    health: { json: "", version: 0 },
    today: { json: "", version: 0 },
  };

  set<Name extends PartName>(name: Name, state: NowAnswer[Name]): boolean {
    const part = this.#parts[name];
    const json = JSON.stringify(state);
    if (json === part.json) return false;
    part.json = json;
    part.version++;
    return true;
  }

  untold(told: Told): number {
    let set = 0;
    for (const name of names) if (told[name] !== this.#parts[name].version) set |= bits[name];
    return set;
  }

  tellAll(told: Told): void {
    for (const name of names) told[name] = this.#parts[name].version;
  }

  event(set: number, nowMs: number): string {
    const fields = names.flatMap((name) => ((set & bits[name]) === 0 ? [] : [`"${name}":${this.#parts[name].json}`]));
    return `event: now\ndata: {"nowMs":${nowMs},${fields.join(",")}}\n\n`;
  }
}

/** The messages of one moment. Most pages get the same one, which is written once. */
export class LiveMessages {
  /** How many requests have ended since the last. */
  readonly ended: number;
  readonly #parts: LiveParts;
  readonly #nowMs: number;
  readonly #requests: { readonly json: string; readonly leftOut: number } | undefined;
  readonly #written = new Map<string, Buffer>();

  constructor(parts: LiveParts, ended: EndedRequests, nowMs: number) {
    this.#parts = parts;
    this.#nowMs = nowMs;
    this.ended = ended.count;
    this.#requests = ended.count === 0 ? undefined : ended.take(nowMs);
  }

  /** For a page that does not know these parts, and has missed so many requests. Undefined if there is nothing to tell. */
  of(untold: number, missed: number): Buffer | undefined {
    if (untold === 0 && this.#requests === undefined && missed === 0) return undefined;
    const key = `${untold} ${missed}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${this.#nowEvent(untold)}${this.#endedEvent(missed)}`);
    this.#written.set(key, bytes);
    return bytes;
  }

  #nowEvent(untold: number): string {
    return untold === 0 ? "" : this.#parts.event(untold, this.#nowMs);
  }

  #endedEvent(missed: number): string {
    const { json = "[]", leftOut = 0 } = this.#requests ?? {};
    const skipped = leftOut + missed;
    if (this.#requests === undefined && missed === 0) return "";
    return `event: ended\ndata: {"entries":${json},"skipped":${skipped}}\n\n`;
  }
}
