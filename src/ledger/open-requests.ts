import { randomBytes } from "node:crypto";
import type { RequestRecord } from "../events/index.js";
import { type ForgetRule, isForgotten } from "./forget-rules.js";
import { type AbandonedItem, entryKey } from "./log-item.js";
import { nameOf } from "./write-entry.js";

/** A request that has been received and has not ended. */
export interface OpenRequest {
  readonly key: string;
  readonly record: RequestRecord;
  /** It has a run at Cursor that is not waiting for the client. */
  hasRun: boolean;
  /** Its run was given up before the request ended. */
  abandoned: AbandonedItem | undefined;
  /** The owner has forgotten it meanwhile. */
  isForgotten: boolean;
}

/** The requests that are open in this process, and how many there are at once. */
export class OpenRequests {
  readonly #unique = randomBytes(5).toString("hex");
  #count = 0;
  /** In no order. They are few, and a list allocates less than a map when they come and go. */
  readonly #open: OpenRequest[] = [];
  /** The keys of requests whose run waits for the client's results. The run keeps its request; clients may use one id for many. */
  readonly #waiting = new WeakMap<RequestRecord, string>();
  #runs = 0;
  #peakRequests = 0;
  #peakRuns = 0;

  get size(): number {
    return this.#open.length;
  }

  values(): Iterable<OpenRequest> {
    return this.#open;
  }

  records(): RequestRecord[] {
    return this.#open.map(({ record }) => record);
  }

  /** Undefined if it is open already. */
  receive(record: RequestRecord): OpenRequest | undefined {
    if (this.#find(record) !== undefined) return undefined;
    const request = {
      key: this.newKey(record),
      record,
      hasRun: false,
      abandoned: undefined,
      isForgotten: false,
    };
    this.#open.push(request);
    if (this.#open.length > this.#peakRequests) this.#peakRequests = this.#open.length;
    return request;
  }

  newKey({ startedMs }: RequestRecord): string {
    return entryKey(startedMs, this.#unique + (this.#count++).toString(36));
  }

  opened(record: RequestRecord): void {
    const request = this.#find(record);
    if (request === undefined || request.hasRun) return;
    request.hasRun = true;
    if (++this.#runs > this.#peakRuns) this.#peakRuns = this.#runs;
  }

  /** The run counts already. */
  resumed(record: RequestRecord): void {
    const request = this.#find(record);
    if (request !== undefined) request.hasRun = true;
  }

  /** The run goes on waiting when its request has ended. */
  paused(record: RequestRecord): void {
    const request = this.#find(record);
    if (request === undefined) return;
    request.hasRun = false;
    this.#waiting.set(record, request.key);
  }

  end(record: RequestRecord): OpenRequest | undefined {
    const index = this.#open.findIndex((request) => request.record === record);
    const last = this.#open.at(-1);
    if (index < 0 || last === undefined) return undefined;
    const request = this.#open[index];
    this.#open[index] = last;
    this.#open.pop();
    if (request?.hasRun === true) this.#runs = Math.max(0, this.#runs - 1);
    return request;
  }

  /** A run that waited was given up. Returns the key of its last request, and that request if it is still open. */
  abandon(record: RequestRecord): { key: string | undefined; request: OpenRequest | undefined } {
    this.#runs = Math.max(0, this.#runs - 1);
    const request = this.#find(record);
    return { key: request?.key ?? this.#waiting.get(record), request };
  }

  /** The most that were open at once since this was last asked. */
  takePeaks(): { openRequests: number; openRuns: number } {
    const peaks = { openRequests: this.#peakRequests, openRuns: this.#peakRuns };
    this.#peakRequests = this.#open.length;
    this.#peakRuns = this.#runs;
    return peaks;
  }

  forget(rules: readonly ForgetRule[]): void {
    for (const request of this.#open) {
      const { startedMs: atMs, client } = request.record;
      if (isForgotten(rules, { atMs, client: nameOf(client) })) request.isForgotten = true;
    }
  }

  #find(record: RequestRecord): OpenRequest | undefined {
    for (const request of this.#open) if (request.record === record) return request;
    return undefined;
  }
}
