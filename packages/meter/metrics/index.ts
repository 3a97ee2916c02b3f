export { createMetrics, type Metrics } from "./metrics.js";
