import type { RequestRecord } from "../events/index.js";
import type { Gateway } from "../gateway/index.js";
import { nameOf } from "../ledger/index.js";
import type { LiveRequest, LiveState, WaitingRun } from "../page/contract.js";

/** More than anybody reads. The rest is counted. */
const MAX_SHOWN = 50;

type ParkedRun = ReturnType<Gateway["waitingRuns"]>[number];

/** What is going on. */
export function liveState(records: readonly RequestRecord[], parked: readonly ParkedRun[]): LiveState {
  const newest = records.toSorted((one, other) => other.startedMs - one.startedMs).slice(0, MAX_SHOWN);
  const first = parked.toSorted((one, other) => one.leaseEndsMs - other.leaseEndsMs).slice(0, MAX_SHOWN);
  return {
    requests: newest.map(liveRequest),
    moreRequests: records.length - newest.length,
    waiting: first.map(waitingRun),
    moreWaiting: parked.length - first.length,
  };
}

function liveRequest(record: RequestRecord): LiveRequest {
  return {
    id: record.requestId,
    client: nameOf(record.client),
    dialect: record.dialect,
    model: nameOf(record.model ?? record.askedModel),
    startedMs: record.startedMs,
    plannedMs: record.plannedMs ?? null,
    openedMs: record.openedMs ?? null,
    firstByteMs: record.firstByteMs ?? null,
    round: record.round,
    continuity: record.continuity ?? null,
  };
}

function waitingRun({ request, model, calls, pausedMs, leaseEndsMs }: ParkedRun): WaitingRun {
  return { id: request.requestId, client: nameOf(request.client), model, calls, pausedMs, leaseEndsMs };
}
