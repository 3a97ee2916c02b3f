export {
  dayOf,
  type Grouping,
  groupings,
  isGrouping,
  maxDaysOf,
  reportUsage,
  reportUsageInSlices,
  type UsageQuestion,
  type UsageReport,
  usualDaysOf,
  writeReport,
  writeRow,
} from "./usage-report.js";
export { cacheShare, runsPerMessage, savedTokens, type UsageSum, warmShare, writeSum } from "./usage-sum.js";
