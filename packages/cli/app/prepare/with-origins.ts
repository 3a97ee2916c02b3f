import type { LoadedSettings } from "../../config/load.js";
import { flagName, isSettingName, settingsTable } from "../../config/table.js";
import { StartError } from "./start-error.js";

/** Adds where the settings behind a StartError came from, except flags: a variable such as HOST may be for another program. */
export function withOrigins(thrown: unknown, named: LoadedSettings["named"]): unknown {
  if (!(thrown instanceof StartError)) return thrown;
  const lines = thrown.settings.filter(isSettingName).flatMap((name) => {
    const cause = named[name];
    if (cause === undefined || cause.startsWith("-")) return [];
    return [`Set by ${cause}${settingsTable[name].only === undefined ? `; --${flagName(name)} overrides it` : ""}.`];
  });
  if (lines.length === 0) return thrown;
  return new StartError(thrown.code, [thrown.message, ...lines].join("\n"), { cause: thrown.cause });
}
