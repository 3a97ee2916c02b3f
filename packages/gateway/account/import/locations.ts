import { join } from "node:path";
import type { Machine } from "../../system/machine.js";

export function cursorLocations(machine: Machine) {
  const { platform, homeDirectory } = machine;
  const dotCursor = join(homeDirectory, ".cursor");
  const settings = settingsFolder(machine);
  const ofCli = platform === "darwin" ? [] : [join(settings, platform === "win32" ? "Cursor" : "cursor")];
  const folders = new Set([...ofCli, dotCursor, join(homeDirectory, ".config", "cursor")]);
  return {
    cliFiles: Array.from(folders, (folder) => join(folder, "auth.json")),
    sdkFile: join(dotCursor, "sdk", "auth.json"),
    hasKeychain: platform === "darwin",
    editorDatabase: join(settings, "Cursor", "User", "globalStorage", "state.vscdb"),
  };
}

function settingsFolder({ env, platform, homeDirectory }: Machine): string {
  switch (platform) {
    case "darwin":
      return join(homeDirectory, "Library", "Application Support");
    case "win32":
      return env.APPDATA || join(homeDirectory, "AppData", "Roaming");
    default:
      return env.XDG_CONFIG_HOME || join(homeDirectory, ".config");
  }
}
