import type { SampleBlob } from "./sample-state.js";
import type { Dropped, Store, StoreOptions } from "./store.js";

const minute = 60_000;

export type OpenForTest = (options: StoreOptions) => Promise<Store>;

/** A store with its clock, the problems it reported, and one owner called "o". */
export class StoreUnderTest {
  readonly store: Store;
  readonly problems: readonly Error[];
  readonly #clock: { nowMs: number };

  private constructor(store: Store, problems: readonly Error[], clock: { nowMs: number }) {
    this.store = store;
    this.problems = problems;
    this.#clock = clock;
  }

  static async open(
    open: OpenForTest,
    limits: Pick<StoreOptions, "maxBytes" | "maxAgeMs"> = {},
  ): Promise<StoreUnderTest> {
    const problems: Error[] = [];
    const clock = { nowMs: 1_800_000_000_000 };
    const store = await open({ ...limits, now: () => clock.nowMs, onProblem: (problem) => problems.push(problem) });
    return new StoreUnderTest(store, problems, clock);
  }

  pass(ms: number): void {
    this.#clock.nowMs += ms;
  }

  put(...blobs: readonly SampleBlob[]): void {
    for (const { id, data } of blobs) this.store.putBlob("o", id, data);
  }

  readonly has = ({ id }: SampleBlob): boolean => this.store.getBlob("o", id) !== undefined;

  sweep(): Dropped {
    return this.store.sweep(this.#clock.nowMs);
  }

  /** Until nothing is kept for its freshness alone. */
  async settle(): Promise<void> {
    await this.store.flush();
    this.sweep();
    this.pass(120 * minute);
    this.sweep();
    await this.store.flush();
    this.sweep();
  }

  /** As the owner's timer would. Returns how long the longest slice took, in ms of this process. */
  async sweepOften(): Promise<number> {
    let longest = 0;
    for (let round = 0; round < 20; round++) {
      const before = process.cpuUsage();
      this.sweep();
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      await this.store.flush();
      this.pass(minute);
    }
    return longest;
  }
}
