export type { HealthRecord } from "./backend-health.js";
export { mayStandIn } from "./may-stand-in.js";
export { Roads } from "./roads.js";
export { backendsIn, type Routing } from "./routing.js";
