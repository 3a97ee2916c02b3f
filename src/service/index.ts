export {
  commandLine,
  controlService,
  installService,
  isInstalled,
  serviceState,
  systemRunner,
  uninstallService,
} from "./keep-service.js";
export { followLines, lastLines } from "./log-tail.js";
export { type Service, ServiceError, type ServiceLog, type ServiceProgram } from "./service.js";
export { serviceEnvironment, serviceFor } from "./service-for.js";
