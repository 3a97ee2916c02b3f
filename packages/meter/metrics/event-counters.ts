import { dialectNames } from "@curlew/gateway/fronts/dialect-names.js";
import { abandonReasons, type Listeners, type RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { type CountedTokens, Counters, count, countedTokens, countTurn } from "../ledger/entry.js";

/** Label values with a series of their own; further ones count as `other`. A subscription has some thirty models. */
const MAX_VALUES = 60;
const LIMIT_NAME = /^[a-z]+(\.[a-zA-Z]+){0,2}$/;

/** From a cached title to a model that thinks for minutes. */
const FIRST_BYTE_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const DURATION_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];

/** The names allowed in labels. */
export interface KnownNames {
  readonly backends: readonly string[];
  /** Whether a backend lists this model (name without parameters). Clients may request any name; only listed ones become labels. */
  isModel(name: string, backend: string | undefined): boolean;
}

/** Counters of one gateway. A request costs a few additions at its start and end, and none while it streams. */
export class EventCounters {
  openRequests = 0;
  batches = 0;
  bytes = 0;
  sentAgainTokens = 0;
  breakerAnswers = 0;
  readonly firstByteSeconds = new Histogram(FIRST_BYTE_SECONDS);
  readonly durationSeconds = new Histogram(DURATION_SECONDS);
  readonly continuity = new Counts(["warm", "resumed", "cold:new"]);
  readonly cacheMisses = new Counts();
  readonly abandonedRuns = new Counts(abandonReasons);
  readonly limits = new Series(() => new Counts());
  readonly requests = new Series(() => new Counts(["ok"]), Object.keys(dialectNames));
  readonly renewals = new Counts(["renewed", "failed"]);
  /** By whether the attempt was retried. */
  readonly upstreamErrors = new Series(() => new Counts(), ["true", "false"]);
  /** Totals of all requests. Per backend, below: of requests that started a run. */
  readonly total = new Counters();
  readonly backends: Series<Counters>;
  /** Totals of turns by model, split into tokens counted by Cursor and tokens estimated by Curlew. */
  readonly models = new Series(() => ({ measured: new Counters(), estimated: new Counters() }));
  readonly #isModel: KnownNames["isModel"];

  constructor({ backends, isModel }: KnownNames) {
    this.#isModel = isModel;
    this.backends = new Series(() => new Counters(), backends);
  }

  readonly listeners: Listeners = {
    "curlew:request:received": () => {
      this.openRequests++;
    },
    "curlew:request:finished": (record) => this.#countRequest(record),
    "curlew:request:failed": (record) => this.#countRequest(record),
    "curlew:run:abandoned": ({ request, reason, usage }) => {
      this.abandonedRuns.add(reason);
      this.#countTurn(request, countedTokens(usage));
    },
    "curlew:upstream:failed": ({ code, isRetried }) => this.upstreamErrors.of(String(isRetried)).add(code),
    "curlew:token:renewed": ({ isRenewed }) => this.renewals.add(isRenewed ? "renewed" : "failed"),
    "curlew:limit:reached": ({ limit, action }) => this.limits.of(limit, LIMIT_NAME.test(limit)).add(action),
  };

  #countRequest(record: RequestRecord): void {
    const { startedMs, firstByteMs, endedMs, backend, continuity, runs } = record;
    // An unreadable request has no model and was never counted as open.
    if (record.askedModel !== "") this.openRequests--;
    this.requests.of(record.dialect, false).add(record.outcome);
    this.batches += record.batches;
    this.bytes += record.bytes;
    this.sentAgainTokens += record.sentAgainTokens;
    if (firstByteMs !== undefined) this.firstByteSeconds.observe(secondsBetween(startedMs, firstByteMs));
    if (endedMs !== undefined) this.durationSeconds.observe(secondsBetween(startedMs, endedMs));
    // `warnings` is undefined (not even empty) if a request failed before a model answered. A request that joined another's reply
    // has no reply of its own.
    const hasReply = record.warnings !== undefined && record.joined === undefined;
    if (continuity !== undefined && hasReply) this.continuity.add(continuity);
    if (record.cacheMiss !== undefined) this.cacheMisses.add(record.cacheMiss);
    const tokens = countedTokens(record.turnUsage);
    count(this.total, record, tokens);
    if (runs > 0) count(this.backends.of(backend), record, tokens);
    if (record.error?.isFromBreaker === true) this.breakerAnswers++;
    this.#countTurn(record, tokens);
  }

  #countTurn({ model, backend }: Pick<RequestRecord, "model" | "backend">, tokens: CountedTokens | null): void {
    if (tokens === null) return;
    // `gpt-5.5` for `gpt-5.5[effort=high]`: each combination would be a series of its own.
    const name = model?.split("[", 1)[0];
    const isKnown = name !== undefined && (this.models.has(name) || this.#isModel(name, backend));
    const { measured, estimated } = this.models.of(name, isKnown);
    countTurn(tokens.estimated ? estimated : measured, tokens);
  }
}

/** Never negative, even if the clock was set back: Prometheus takes a falling sum for a restart. */
function secondsBetween(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs) / 1_000;
}

/** Label value of everything without a series of its own. */
const OTHER = "other";

/** One item per label value, bounded in number. */
export class Series<Each> {
  readonly #make: () => Each;
  readonly #each: Map<string, Each>;

  /** @param values those that exist from the start */
  constructor(make: () => Each, values: readonly string[] = []) {
    this.#make = make;
    this.#each = new Map(values.map((value) => [value, make()]));
  }

  has(value: string): boolean {
    return this.#each.has(value);
  }

  /** The item of a label value. Unknown values, which a client may have made up, share `other`. */
  of(value = OTHER, isKnown = true): Each {
    const seen = this.#each.get(value);
    if (seen !== undefined) return seen;
    if (value !== OTHER && (!isKnown || this.#each.size >= MAX_VALUES)) return this.of();
    const made = this.#make();
    this.#each.set(value, made);
    return made;
  }

  entries(): Iterable<[value: string, each: Each]> {
    return this.#each;
  }
}

export class Counts extends Series<{ count: number }> {
  constructor(values: readonly string[] = []) {
    super(() => ({ count: 0 }), values);
  }

  add(value: string | undefined, by = 1): void {
    this.of(value).count += by;
  }
}

/** A Prometheus histogram. */
export class Histogram {
  /** In ascending order. Values above the last one are counted in a further bucket. */
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /** Number of values up to each bound; the last figure is the number of all values. */
  cumulated(): number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}
