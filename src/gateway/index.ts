export { createGateway, type Gateway, type Reply } from "./gateway.js";
