import type { PlanAnswer } from "../../plan/index.js";
import type { Grouping, UsageReport } from "../../usage/index.js";

/** Where the answers come from: the ledger, and Cursor. */
export interface UsageSource {
  report(question: { readonly by: Grouping; readonly days: number }): Promise<UsageReport>;
  /** Never takes longer than a client likes to wait. */
  plan(): Promise<PlanAnswer>;
}
