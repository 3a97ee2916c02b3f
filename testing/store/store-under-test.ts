import type { Store, StoreOptions, Swept } from "../../src/store/store.js";
import { type SampleBlob, sampleCheckpoint } from "../samples/sample-state.js";

const MINUTE_MS = 60_000;

export type OpenForTest = (options: StoreOptions) => Promise<Store>;

/** A store with its clock, the problems that it reported, and one owner called "o". */
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
    limits: Pick<StoreOptions, "maxBytes" | "maxAgeMs" | "sliceWork"> = {},
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

  slice(): Swept {
    return this.store.sweep(this.#clock.nowMs);
  }

  /** Runs all slices of a sweep. */
  sweep(): void {
    while (!this.slice().isDone);
  }

  /** What such a sweep drops. */
  sweepAndCount(): { checkpoints: number; blobs: number } {
    const before = this.store.stats();
    this.sweep();
    const after = this.store.stats();
    return { checkpoints: before.checkpoints - after.checkpoints, blobs: before.blobs - after.blobs };
  }

  /** Replaces a checkpoint with one of another conversation that names no blobs. */
  replace(key: string): void {
    this.store.putCheckpoint("o", key, sampleCheckpoint({ state: new Uint8Array(), conversationId: "another" }));
  }

  /** Advances the clock until nothing is kept only because it is new. */
  async settle(): Promise<void> {
    await this.store.flush();
    this.sweep();
    this.pass(120 * MINUTE_MS);
    this.sweep();
    await this.store.flush();
    this.sweep();
  }
}
