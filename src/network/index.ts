export { createNetwork, type Network } from "./network.js";
export { whyUnreachable } from "./why-unreachable.js";
