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
  type UsageRow,
  usualDaysOf,
  writeReport,
} from "./usage-report.js";
export { cacheShare, savedTokens, type UsageSum, warmShare, writeSum } from "./usage-sum.js";
