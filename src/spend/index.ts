export { amountText } from "./limit-text.js";
export {
  type Ceilings,
  checkLimits,
  defaultCeilings,
  defaultClientLimits,
  isLimitName,
  type LimitName,
  type Limits,
  LimitsError,
  limitNames,
  MAX_ALLOWED,
  type Span,
  type SpanCeilings,
  spans,
  type Unit,
  units,
} from "./limits.js";
export { limitsPath, readLimits, watchLimits, writeLimits } from "./limits-file.js";
export type { PlanUse } from "./plan-share.js";
export type { CostOf, EarlierSpend } from "./spend-counters.js";
export { SpendGuard } from "./spend-guard.js";
export { dayOf, hourOf, timeText } from "./windows.js";
