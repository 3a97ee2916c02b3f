export { type Account, type Books, createGateway, type Gateway, type Reply } from "./gateway.js";
