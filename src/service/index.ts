export { commandLine, installService, isInstalled, serviceState, uninstallService } from "./keep-service.js";
export { systemRunner } from "./runner.js";
export type { Service, ServiceProgram } from "./service.js";
export { ServiceError } from "./service.js";
export { serviceEnvironment } from "./service-environment.js";
export { serviceFor } from "./service-for.js";
