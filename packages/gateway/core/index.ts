export type { Continuity } from "./continuity.js";
export { createGateway, type Gateway, type TextStore } from "./gateway.js";
export { createHealth, type HealthReport } from "./health.js";
export type { Admission, Caller, Keys, LimitGuard, TurnPlace } from "./ports.js";
export type { Reply } from "./reply.js";
export type { Account, BackendWithModels } from "./services.js";
