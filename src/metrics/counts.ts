/** The value of a label for everything that has no series of its own. */
export const OTHER = "other";

/** Counts by the values of one label. All values are known beforehand; what comes with another one counts as `other`. */
export class Counts {
  readonly #counts: Map<string, number>;

  constructor(values: readonly string[]) {
    this.#counts = new Map(values.map((value) => [value, 0]));
  }

  add(value: string | undefined, by = 1): void {
    const key = value !== undefined && this.#counts.has(value) ? value : OTHER;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  entries(): Iterable<[value: string, count: number]> {
    return this.#counts;
  }
}

/** Something that is counted for each value of a label, again with all values known beforehand. */
export class CountsBy<Each> {
  readonly #each: ReadonlyMap<string, Each>;
  readonly #other: Each;

  constructor(values: readonly string[], make: () => Each) {
    this.#each = new Map(values.map((value) => [value, make()]));
    this.#other = make();
  }

  of(value: string | undefined): Each {
    return (value !== undefined && this.#each.get(value)) || this.#other;
  }

  *entries(): Iterable<[value: string, each: Each]> {
    yield* this.#each;
    yield [OTHER, this.#other];
  }
}

interface NamedCountsOptions<Each> {
  /** How many values get a series of their own. */
  readonly max: number;
  /** Whether a value may appear in a label. It is asked once for each value that does. */
  readonly isKnown: (value: string) => boolean;
  readonly make: () => Each;
}

/** The same for values that are not known beforehand, such as names of models. There are never more than `max`. */
export class NamedCounts<Each> {
  readonly #options: NamedCountsOptions<Each>;
  readonly #each = new Map<string, Each>();
  readonly #other: Each;

  constructor(options: NamedCountsOptions<Each>) {
    this.#options = options;
    this.#other = options.make();
  }

  of(value: string | undefined): Each {
    if (value === undefined) return this.#other;
    const seen = this.#each.get(value);
    if (seen !== undefined) return seen;
    const { max, isKnown, make } = this.#options;
    if (this.#each.size >= max || !isKnown(value)) return this.#other;
    const made = make();
    this.#each.set(value, made);
    return made;
  }

  *entries(): Iterable<[value: string, each: Each]> {
    yield* this.#each;
    yield [OTHER, this.#other];
  }
}
