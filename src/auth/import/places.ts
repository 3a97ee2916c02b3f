import { join } from "node:path";
import type { Machine } from "../../config/machine.js";

/** Where Cursor's own programs keep their credentials on each system. */
export interface CursorPlaces {
  readonly cliFiles: readonly string[];
  readonly sdkFile: string;
  readonly hasKeychain: boolean;
  readonly editorDatabase: string;
}

export function cursorPlaces({ env, platform, homeDirectory }: Machine): CursorPlaces {
  const dotCursor = join(homeDirectory, ".cursor");
  const common = { sdkFile: join(dotCursor, "sdk", "auth.json"), hasKeychain: platform === "darwin" };
  const editorIn = (folder: string) => join(folder, "Cursor", "User", "globalStorage", "state.vscdb");
  switch (platform) {
    case "darwin":
      return {
        ...common,
        cliFiles: [join(dotCursor, "auth.json")],
        editorDatabase: editorIn(join(homeDirectory, "Library", "Application Support")),
      };
    case "win32": {
      const roaming = env.APPDATA || join(homeDirectory, "AppData", "Roaming");
      return {
        ...common,
        cliFiles: [join(roaming, "Cursor", "auth.json"), join(dotCursor, "auth.json")],
        editorDatabase: editorIn(roaming),
      };
    }
    default: {
      const settings = env.XDG_CONFIG_HOME || join(homeDirectory, ".config");
      return {
        ...common,
        cliFiles: [join(settings, "cursor", "auth.json"), join(dotCursor, "auth.json")],
        editorDatabase: editorIn(settings),
      };
    }
  }
}
