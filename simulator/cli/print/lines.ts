import type { Scenario } from "../scenario.js";

type LineRules = Pick<Scenario, "stderrMirror" | "splitUtf8" | "twoPerLine">;
interface Streams {
  out(text: string | Uint8Array): void;
  err(text: string): void;
}

/** Writes events as lines, in the awkward ways in which they may reach a reader. */
export class Lines {
  readonly #rules: LineRules;
  readonly #streams: Streams;
  #held = "";

  constructor(rules: LineRules, streams: Streams) {
    this.#rules = rules;
    this.#streams = streams;
  }

  event(event: object): void {
    const json = JSON.stringify(event);
    if (this.#rules.stderrMirror) this.#streams.err(`${json}\n`);
    if (this.#rules.twoPerLine && this.#held === "") {
      this.#held = json;
      return;
    }
    this.raw(this.#held === "" ? json : `${this.#held} ${json}`);
    this.#held = "";
  }

  /** What waits for a second event of its line. */
  flush(): void {
    if (this.#held !== "") this.raw(this.#held);
    this.#held = "";
  }

  raw(line: string): void {
    const pieces = this.#rules.splitUtf8 ? splitCharacters(`${line}\n`) : [`${line}\n`];
    for (const piece of pieces) {
      this.#streams.out(piece);
      if (pieces.length > 1) pauseMs(3);
    }
  }
}

/** Pieces that end behind the first byte of each character that has several. */
export function splitCharacters(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts = [...bytes.keys()].filter((at) => (bytes[at - 1] ?? 0) >= 0xc0);
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}

/** Without giving way, so that the order of events stays what it is: long enough for the reader to take a piece. */
function pauseMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
