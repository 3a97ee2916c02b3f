export { announce, CONTROL_HEADER, newControlToken } from "./announce.js";
export type { RunFile } from "./run-file.js";
export { askGateways } from "./running-gateways.js";
