export { createNetwork, type Network } from "./network.js";
