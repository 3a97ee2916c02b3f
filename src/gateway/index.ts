export { createGateway, type Gateway, type GatewaySettings, type Reply, type RunContext } from "./gateway.js";
