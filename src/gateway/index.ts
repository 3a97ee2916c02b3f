export type { Continuity } from "./continuity.js";
export { createGateway, type Gateway, type TextStore } from "./gateway.js";
export type { Reply } from "./reply.js";
export type { Account, BackendWithModels } from "./services.js";
