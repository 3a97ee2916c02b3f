export { ask, type HttpResponse, type ResponseHead } from "./ask.js";
export { createNetwork, type Network, requestTo } from "./network.js";
export { blockedNetwork, brokenOff, isWebPage, unreachable } from "./unreachable.js";
