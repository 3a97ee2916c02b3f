export {
  ask,
  blockedNetwork,
  brokenOff,
  type HttpResponse,
  isForeign,
  type ResponseHead,
  unreachable,
} from "./ask.js";
export { createNetwork, type Network, requestTo } from "./network.js";
