import type { Exchange } from "../backends/backend.js";
import type { RequestRecord } from "../events/index.js";
import type { Usage } from "../turn/event.js";
import { addUsage } from "../turn/reply-usage.js";

/** Adds what a run has taken upstream since this was last done to the request that it was taken for. */
export function noteUpstream(record: RequestRecord, { meter }: Exchange): void {
  record.runs += meter.runs;
  record.retries += meter.retries;
  record.sentBytes += meter.sentBytes;
  record.receivedBytes += meter.receivedBytes;
  meter.runs = 0;
  meter.retries = 0;
  meter.sentBytes = 0;
  meter.receivedBytes = 0;
}

/** Books a turn on the request with which it ended. A reply may take several runs. */
export function noteTurnUsage(record: RequestRecord, usage: Usage): void {
  record.turnUsage = record.turnUsage === undefined ? usage : addUsage(record.turnUsage, usage);
}

/** Books a run that ends early: Cursor will not say what it took. */
export function noteCutRun(record: RequestRecord, exchange: Exchange): void {
  noteTurnUsage(record, { ...exchange.usageSoFar().turn, estimated: true });
}
