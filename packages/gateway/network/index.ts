export { ask, askInJson, blockedNetwork, brokenOff, isForeign, unreachable } from "./ask.js";
export { createNetwork, type HttpResponse, headOf, type Network, type ResponseHead, requestTo } from "./network.js";
