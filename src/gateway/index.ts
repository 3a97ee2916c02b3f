export { type Account, type Books, createGateway, type Gateway, type Reply, type Shelf } from "./gateway.js";
