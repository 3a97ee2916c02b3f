export { announce, askGateways, CONTROL_HEADER, liveGateways, newControlToken, readRun } from "./running-gateways.js";
