import type { Store, StoreOptions } from "../../packages/gateway/store/lineage-store.js";
import type { StoreStats, Swept } from "../../packages/gateway/store/sweeper.js";
import { type SampleBlob, sampleLineage } from "../samples/sample-state.js";

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

  /** Puts a row with this name, and these blobs. */
  put(lineage: string, name: string, ...blobs: readonly SampleBlob[]): boolean {
    this.putBlobs(lineage, ...blobs);
    return this.store.put("o", sampleLineage(lineage), { names: [name], text: name });
  }

  putBlobs(lineage: string, ...blobs: readonly SampleBlob[]): void {
    for (const { id, data } of blobs) this.store.putBlob("o", sampleLineage(lineage), id, data);
  }

  hasRow(name: string): boolean {
    return this.store.get("o", name) !== undefined;
  }

  hasBlob(lineage: string, { id, data }: SampleBlob): boolean {
    return data.equals(this.store.getBlob("o", sampleLineage(lineage), id) ?? Buffer.from("missing"));
  }

  slice(): Swept {
    return this.store.sweep(this.#clock.nowMs);
  }

  /** Runs all slices of a sweep. */
  sweep(): void {
    while (!this.slice().isDone);
  }

  /** The statistics after a full sweep. */
  counted(): StoreStats | undefined {
    this.pass(1);
    this.sweep();
    return this.store.stats();
  }
}
