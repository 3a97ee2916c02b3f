import { field, parseJson } from "../turn/read-json.js";
import type { ConductDay, LedgerEntry } from "./entry.js";
import { numberOf } from "./read-entry.js";

/** The conduct of a day, while it is being counted. */
export interface ConductCounts {
  requests: number;
  runs: number;
  retries: number;
  cancelled: number;
  abandoned: Record<string, number>;
  peakRequests: number;
  peakRuns: number;
}

export function readConduct(text: string | undefined): ConductCounts {
  const read = text === undefined ? undefined : parseJson(text);
  const abandoned = field(read, "abandoned");
  const reasons = typeof abandoned === "object" && abandoned !== null ? Object.entries(abandoned) : [];
  return {
    requests: numberOf(field(read, "requests")),
    runs: numberOf(field(read, "runs")),
    retries: numberOf(field(read, "retries")),
    cancelled: numberOf(field(read, "cancelled")),
    abandoned: Object.fromEntries(reasons.map(([reason, count]) => [reason, numberOf(count)])),
    peakRequests: numberOf(field(read, "peakRequests")),
    peakRuns: numberOf(field(read, "peakRuns")),
  };
}

export function conductDay(startMs: number, counts: ConductCounts): ConductDay {
  return { startMs, ...counts };
}

/** Adds a request, or takes it away again with a sign of -1. */
export function addConduct(counts: ConductCounts, entry: LedgerEntry, sign: 1 | -1): void {
  counts.requests += sign;
  counts.runs += sign * entry.runs;
  counts.retries += sign * entry.retries;
  if (entry.outcome === "client-left") counts.cancelled += sign;
  if (entry.abandoned !== null) addAbandoned(counts, entry.abandoned, sign);
}

export function addAbandoned(counts: ConductCounts, reason: string, sign: 1 | -1): void {
  counts.abandoned[reason] = (counts.abandoned[reason] ?? 0) + sign;
}
