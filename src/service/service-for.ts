import { join } from "node:path";
import type { Machine } from "../config/machine.js";
import { launchdService } from "./launchd.js";
import { type Service, ServiceError, type ServiceProgram } from "./service.js";
import { systemdService } from "./systemd.js";
import { windowsService } from "./windows-task.js";

/** @throws {ServiceError} Curlew cannot install a service on this system. */
export function serviceFor(program: ServiceProgram, machine: Machine & { readonly userId: number }): Service {
  const { env, platform, homeDirectory, userId } = machine;
  switch (platform) {
    case "linux":
      return systemdService(program, { homeDirectory, configHome: env.XDG_CONFIG_HOME });
    case "darwin":
      return launchdService(program, { homeDirectory, userId });
    case "win32":
      return windowsService(program, {
        localFolder: env.LOCALAPPDATA || join(homeDirectory, "AppData", "Local"),
        user: [env.USERDOMAIN, env.USERNAME].filter(Boolean).join("\\"),
      });
    default:
      throw new ServiceError(
        `Curlew cannot install services on ${platform}. Have your system's own supervisor run: curlew serve`,
      );
  }
}
