export type { HealthTracker } from "./backend-health.js";
export { Backends } from "./backends.js";
export { backendsIn, mayFallBack, type Routing } from "./routing.js";
