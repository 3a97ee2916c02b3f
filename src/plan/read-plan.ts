import type { SignedCalls } from "../backends/cursor/signed-calls.js";
import { type CursorPlan, readCursorPlan, readSpentCents } from "./cursor-plan.js";

const CALL_TIMEOUT_MS = 20_000;
const DASHBOARD = "aiserver.v1.DashboardService";

/** Asks Cursor about the plan and its usage in this period. */
export async function readPlan(calls: SignedCalls): Promise<CursorPlan> {
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const call = (name: string, body: object = {}) => calls.callInJson(`${DASHBOARD}/${name}`, body, signal);
  // The name of the plan is optional; the usage is required.
  const [used, plan] = await Promise.all([call("GetCurrentPeriodUsage"), call("GetPlanInfo").catch(() => undefined)]);
  const read = readCursorPlan(used, plan);
  if (read.percentUsed !== null || read.spentCents !== null) return read;
  const { periodStart, resets } = read;
  const period = periodStart === null || resets === null ? {} : { startDate: msOf(periodStart), endDate: msOf(resets) };
  const spentCents = readSpentCents(await call("GetAggregatedUsageEvents", period).catch(() => undefined));
  return { ...read, spentCents };
}

/** 64-bit numbers are text in protobuf's JSON. */
function msOf(date: string): string {
  return String(Date.parse(date));
}
