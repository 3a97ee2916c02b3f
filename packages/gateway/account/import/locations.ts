import { join } from "node:path";
import { type Machine, settingsFolder } from "../../system/machine.js";

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
