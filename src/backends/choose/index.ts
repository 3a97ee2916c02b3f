export type { HealthRecord } from "./backend-health.js";
export { Roads } from "./roads.js";
export { backendsIn, mayStandIn, type Routing } from "./routing.js";
