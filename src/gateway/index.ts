export { createGateway, type Gateway, type Shelf } from "./gateway.js";
export type { Reply } from "./reply.js";
export type { Account, Books, Road } from "./services.js";
