import { existsSync } from "node:fs";
import { join } from "node:path";
import { keysFile, ledgerFolders, limitsFile, modelsFile, runFolder } from "../../app/prepare/own-files.js";
import { loadFrom } from "../../config/flags.js";
import { thisMachine } from "../../config/machine.js";
import { serviceLog, statePath } from "../../config/places.js";
import { overlayPath } from "../../profile/index.js";
import { shownOn } from "../../shown-on.js";
import { colorsFor } from "../line/colors.js";
import { listing, type Row } from "../terminal/table.js";

/** Prints where Curlew's files are, or would be. */
export function showPlaces(args: Readonly<Record<string, unknown>>, wantsJson: boolean): number {
  const { settings, configFile } = loadFrom(args, ["stateFolder"]);
  const { home, places, stateFolder = statePath(places, "state") } = settings;
  const log = serviceLog(thisMachine());
  const paths = {
    settings: configFile,
    profile: overlayPath(home),
    credentials: join(home, "credentials.json"),
    keys: keysFile(settings),
    limits: limitsFile(settings),
    conversations: stateFolder,
    ledger: ledgerFolders(settings).folder,
    setups: statePath(places, "setup"),
    running: runFolder(settings),
    models: modelsFile(settings, "agent"),
    cache: places.cache,
    ...(log !== undefined && { log }),
  };
  const { stdout } = process;
  const found = Object.entries(paths).map(([name, path]) => ({ name, path, exists: existsSync(path) }));
  if (wantsJson) {
    const byName = found.map(({ name, ...place }) => [name, place]);
    stdout.write(`${JSON.stringify(Object.fromEntries(byName), null, 2)}\n`);
    return 0;
  }
  const { dim } = colorsFor(stdout);
  const rows = found.map(({ name, path, exists }): Row => {
    return [name, exists ? shownOn(stdout, path) : `${shownOn(stdout, path)} ${dim("(not created)")}`];
  });
  stdout.write(listing(rows, { minWidth: 0, dim }));
  return 0;
}
