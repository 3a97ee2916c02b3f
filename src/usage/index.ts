export {
  dayOf,
  type Grouping,
  groupings,
  isGrouping,
  maxDaysOf,
  reportUsage,
  reportUsageInSlices,
  type UsageReport,
  type UsageRow,
  usualDaysOf,
} from "./usage-report.js";
export { cacheShare, savedTokens, type UsageSum, warmShare } from "./usage-sum.js";
export { writeReport, writeSum } from "./write-report.js";
