import { yieldToOthers } from "@curlew/gateway/system/clock.js";
import { type LedgerReader, midnight } from "@curlew/meter/ledger/index.js";
import type { SeenClient } from "../access/contract.js";

const DAYS = 30;
const SLICE_DAYS = 7;
/** For these days the last time is precise to the hour. */
const HOURLY_DAYS = 2;
/** For this many requests it is exact. */
const NEWEST = 100;

/** The clients of the last weeks, last seen first. Reads roll-ups, so its cost does not depend on the number of requests. */
export async function seenClients(reader: LedgerReader, nowMs: number): Promise<readonly SeenClient[]> {
  await reader.ready();
  const clients = new Map<string, SeenClient>();
  const see = (name: string, atMs: number, requests: number) => {
    const known = clients.get(name) ?? { lastSeenMs: atMs, requests: 0 };
    const lastSeenMs = Math.max(known.lastSeenMs, atMs);
    clients.set(name, { name, lastSeenMs, requests: known.requests + requests });
  };
  for (let day = 1 - DAYS; day <= 0; day += SLICE_DAYS) {
    const isLast = day + SLICE_DAYS > 0;
    const toMs = isLast ? Number.MAX_SAFE_INTEGER : midnight(nowMs, day + SLICE_DAYS);
    const rollUps = reader.rollUps("day", midnight(nowMs, day), toMs);
    for (const { client, startMs, requests } of rollUps) see(client, startMs, requests);
    await yieldToOthers();
  }
  const hours = reader.rollUps("hour", midnight(nowMs, 1 - HOURLY_DAYS), Number.MAX_SAFE_INTEGER);
  for (const { client, startMs } of hours) see(client, startMs, 0);
  for (const { client, atMs } of reader.entries({ limit: NEWEST })) see(client, atMs, 0);
  const seen = [...clients.values()].filter(({ requests }) => requests > 0);
  return seen.sort((one, other) => other.lastSeenMs - one.lastSeenMs);
}
