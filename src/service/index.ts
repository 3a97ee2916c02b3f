export {
  commandLine,
  controlService,
  installService,
  isInstalled,
  serviceState,
  uninstallService,
} from "./keep-service.js";
export { followLines, lastLines } from "./log-tail.js";
export { systemRunner } from "./runner.js";
export { type Service, ServiceError, type ServiceLog, type ServiceProgram } from "./service.js";
export { serviceEnvironment, serviceFor } from "./service-for.js";
