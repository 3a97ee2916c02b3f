export { announce, newControlToken } from "./announce.js";
export { CONTROL_HEADER } from "./control-header.js";
export { isAlive } from "./is-alive.js";
export { liveGateways } from "./live-gateways.js";
export { readRun } from "./run-file.js";
export { askGateways } from "./running-gateways.js";
