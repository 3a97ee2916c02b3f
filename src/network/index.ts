export { type Answer, type AnswerHead, ask } from "./ask.js";
export { createNetwork, type Network } from "./network.js";
export { brokenOff, unreachable } from "./unreachable.js";
export { blockedNetwork, isWebPage } from "./web-page.js";
