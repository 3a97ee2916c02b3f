export { announce, newControlToken } from "./announce.js";
export { CONTROL_HEADER } from "./control-header.js";
export { askGateways } from "./running-gateways.js";
