export { amountText, timeText } from "./limit-text.js";
export { type Ceilings, isLimitName, type Limits, LimitsError, limitNames, units } from "./limits.js";
export {
  readLimits,
  watchLimits,
  withAllowed,
  withLimit,
  withoutAllowed,
  withoutLimit,
  writeLimits,
} from "./limits-file.js";
export { type LimitInUse, limitsInUse } from "./limits-in-use.js";
export type { PlanUse } from "./plan-share.js";
export type { EarlierSpend } from "./spend-counters.js";
export { SpendGuard } from "./spend-guard.js";
