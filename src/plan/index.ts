export type { CursorPlan } from "./cursor-plan.js";
export { onDemandText, percentText, spentText } from "./plan-text.js";
export { readPlan } from "./read-plan.js";
export { type PlanAnswer, RecentPlan } from "./recent-plan.js";
