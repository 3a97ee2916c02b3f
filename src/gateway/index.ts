export { type Account, type Books, createGateway, type Gateway, type Reply, type Road, type Shelf } from "./gateway.js";
