export { announce, newControlToken, readRun } from "./run-file.js";
export { askGateways, CONTROL_HEADER, liveGateways } from "./running-gateways.js";
