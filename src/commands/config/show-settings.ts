import { loadFrom } from "../../config/flags.js";
import { settingNames, settingsTable, settingsWithFlag } from "../../config/table.js";
import { shownOn } from "../../shown-on.js";
import { colorsFor } from "../line/colors.js";
import { table } from "../terminal/table.js";

const HIDDEN = "(hidden)";

/** Prints what is set, and where it comes from. */
export function showSettings(
  args: Readonly<Record<string, unknown>>,
  { wantsAll, wantsJson }: { readonly wantsAll: boolean; readonly wantsJson: boolean },
): number {
  const { settings, origins, configFile } = loadFrom(args, settingsWithFlag(settingsTable));
  const shown = settingNames
    .filter((name) => wantsAll || origins[name] !== undefined)
    .map((name) => {
      const value = settings[name];
      const isSecret = settingsTable[name].isSecret === true && origins[name] !== undefined;
      return { name, value: isSecret ? HIDDEN : (value ?? null), isSecret, origin: origins[name] ?? "default" };
    });
  const { stdout } = process;
  if (wantsJson) {
    stdout.write(`${JSON.stringify(shownOn(stdout, { configFile, settings: shown }), null, 2)}\n`);
    return 0;
  }
  const { dim } = colorsFor(stdout);
  const rows = shown.map(({ name, value, origin }) => [name, asText(value), origin]);
  if (rows.length === 0) stdout.write("Nothing is set: every setting has its default.\n");
  else stdout.write(table(["SETTING", "VALUE", "FROM"], shownOn(stdout, rows), { dim }));
  if (!wantsAll) stdout.write(dim("All settings, with their defaults: curlew config show --all\n"));
  return 0;
}

/** As one would write it on a command line, or as JSON where that has no simple form. */
function asText(value: unknown): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(",");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "-" : JSON.stringify(value);
  return String(value);
}
