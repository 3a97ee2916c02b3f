import type { Scenario } from "../scenario.js";
import type { World } from "../world.js";

/** Writes events as lines, with the irregularities that a reader may meet. */
export class Lines {
  readonly #rules: Pick<Scenario, "stderrMirror" | "twoPerLine">;
  readonly #streams: Pick<World, "out" | "err">;
  #held = "";

  constructor(rules: Pick<Scenario, "stderrMirror" | "twoPerLine">, streams: Pick<World, "out" | "err">) {
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

  /** Writes an event that waits for a second one on its line. */
  flush(): void {
    if (this.#held !== "") this.raw(this.#held);
    this.#held = "";
  }

  raw(line: string): void {
    this.#streams.out(`${line}\n`);
  }
}
