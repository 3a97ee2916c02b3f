export type { HealthTracker } from "./backends.js";
export { Backends, backendsIn, mayFallBack, type Routing } from "./backends.js";
