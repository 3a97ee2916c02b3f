import { setTimeout as sleep } from "node:timers/promises";
import type { EntryFilter, LedgerEntry, LedgerReader } from "@curlew/meter/ledger/index.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { stopSignal } from "../line/stop-signal.js";

/** Frequent enough to watch live, and cheap. */
const POLL_MS = 500;
/** A request that ends is still among this many of the newest. */
export const MAX_NEWEST = 1_000;
/** Ids to remember: more than can reappear among the newest when others are deleted. */
const MAX_KNOWN = 20 * MAX_NEWEST;

interface FollowOptions extends ReturnType<typeof untilStopped> {
  readonly reader: Pick<LedgerReader, "entries">;
  readonly filter: Omit<EntryFilter, "limit">;
  readonly told: Iterable<LedgerEntry>;
  readonly onEnded: (entry: LedgerEntry) => void;
}

/** Reports each request once when it has ended, until the signal aborts. */
export async function follow({ reader, filter, told, onEnded, wait, signal }: FollowOptions): Promise<void> {
  const known = new Set(Array.from(told, ({ id }) => id));
  for (;;) {
    await wait(POLL_MS);
    if (signal.aborted) return;
    const newest = reader.entries({ ...filter, limit: MAX_NEWEST });
    const fresh = newest.filter(({ id }) => !known.has(id)).sort((one, other) => endOf(one) - endOf(other));
    for (const entry of fresh) {
      known.add(entry.id);
      onEnded(entry);
    }
    for (const id of known) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(id);
    }
  }
}

function endOf({ atMs, totalMs }: LedgerEntry): number {
  return atMs + (totalMs ?? 0);
}

/** A signal that aborts when the process is asked to stop or stdout closes, and a pause that ends with it. */
export function untilStopped({ stdout, events }: Pick<CommandMachine, "stdout" | "events">) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const leave = () => leaving.abort();
  void stopSignal(events).then(leave);
  stdout.once("error", leave);
  return { signal, wait: (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}) };
}
