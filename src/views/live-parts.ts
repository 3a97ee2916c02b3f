import type { NowAnswer } from "../page/contract.js";

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

  /** Returns whether it has changed. */
  set<Name extends PartName>(name: Name, state: NowAnswer[Name]): boolean {
    const part = this.#parts[name];
    const json = JSON.stringify(state);
    if (json === part.json) return false;
    part.json = json;
    part.version++;
    return true;
  }

  /** The set of parts that somebody does not know. */
  untold(told: Told): number {
    let set = 0;
    for (const name of names) if (told[name] !== this.#parts[name].version) set |= bits[name];
    return set;
  }

  tellAll(told: Told): void {
    for (const name of names) told[name] = this.#parts[name].version;
  }

  /** The message with this set of parts, as a server-sent event. */
  event(set: number, nowMs: number): string {
    const fields = names.flatMap((name) => ((set & bits[name]) === 0 ? [] : [`"${name}":${this.#parts[name].json}`]));
    return `event: now\ndata: {"nowMs":${nowMs},${fields.join(",")}}\n\n`;
  }
}
