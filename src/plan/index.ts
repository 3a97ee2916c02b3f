export {
  type CursorPlan,
  onDemandText,
  type PlanAnswer,
  percentText,
  RecentPlan,
  readPlan,
  spentText,
} from "./cursor-plan.js";
