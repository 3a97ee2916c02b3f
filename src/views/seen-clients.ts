import { yieldToOthers } from "../clock.js";
import { type LedgerReader, midnight, type RollUp } from "../ledger/index.js";
import { withoutVersion } from "./client-products.js";

const DAYS = 30;
const SLICE_DAYS = 7;
/** Of these days it is known in which hour a client was seen. */
const HOURLY_DAYS = 2;
/** Of so many requests it is known when exactly they came. */
const NEWEST = 100;

export interface SeenClient {
  readonly name: string;
  /** At least as late as this. The longer ago, the less exactly it is known. */
  readonly lastSeenMs: number;
  readonly requests: number;
}

/** Who has asked for something in the last weeks, by the sums of the ledger: however many requests there were. */
export async function seenClients(reader: LedgerReader, nowMs: number): Promise<readonly SeenClient[]> {
  await reader.ready();
  const seen = new SeenClients();
  for (let day = 1 - DAYS; day <= 0; day += SLICE_DAYS) {
    const isLast = day + SLICE_DAYS > 0;
    const toMs = isLast ? Number.MAX_SAFE_INTEGER : midnight(nowMs, day + SLICE_DAYS);
    for (const rollUp of reader.rollUps("day", midnight(nowMs, day), toMs)) seen.count(rollUp);
    await yieldToOthers();
  }
  for (const rollUp of reader.rollUps("hour", midnight(nowMs, 1 - HOURLY_DAYS), Number.MAX_SAFE_INTEGER)) {
    seen.note(rollUp.client, rollUp.startMs);
  }
  for (const { client, atMs } of reader.entries({ limit: NEWEST })) seen.note(client, atMs);
  return seen.list();
}

class SeenClients {
  readonly #clients = new Map<string, { lastSeenMs: number; requests: number }>();

  count({ client, requests, startMs }: RollUp): void {
    this.note(client, startMs).requests += requests;
  }

  note(client: string, atMs: number) {
    const name = withoutVersion(client);
    const known = this.#clients.get(name) ?? { lastSeenMs: atMs, requests: 0 };
    this.#clients.set(name, known);
    known.lastSeenMs = Math.max(known.lastSeenMs, atMs);
    return known;
  }

  /** Those that were seen last come first. */
  list(): SeenClient[] {
    const clients = Array.from(this.#clients, ([name, { lastSeenMs, requests }]) => ({ name, lastSeenMs, requests }));
    return clients.filter(({ requests }) => requests > 0).sort((one, other) => other.lastSeenMs - one.lastSeenMs);
  }
}
