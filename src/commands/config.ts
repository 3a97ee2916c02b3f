import { defineCommand } from "citty";
import { envFileArg, type SettingFlag, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { check } from "./config/check.js";
import { set } from "./config/set.js";
import { showPlaces } from "./config/show-places.js";
import { showSettings } from "./config/show-settings.js";
import { CommandFailure } from "./line/command-failure.js";

const USE = "Use it as: curlew config show | path | check [FILE] | set NAME VALUE | set NAME --unset";

export const config = defineCommand({
  args: {
    action: {
      type: "positional",
      required: false,
      description:
        "show: what is set, and where; path: where files are; check: every fault of a settings file; set: changes one setting in the file",
      valueHint: "show|path|check|set",
    },
    name: { type: "positional", required: false, description: "set: the setting, such as port; check: the file" },
    value: { type: "positional", required: false, description: "set: its new value, as a flag takes it" },
    all: { type: "boolean", description: "show: also what is not set, with its default" },
    unset: { type: "boolean", description: "set: take the setting out of the file" },
    json: { type: "boolean", description: "Print JSON" },
    ...hidden(settingArgs(settingsWithFlag(settingsTable))),
    ...envFileArg,
  },
  async run({ args }) {
    const [action = "show", ...words] = args._;
    const [name, value] = words;
    const { all: wantsAll = false, unset: isUnset = false, json: wantsJson = false } = args;
    switch (action) {
      case "show":
        if (words.length > 0) break;
        return showSettings(args, { wantsAll, wantsJson });
      case "path":
        if (words.length > 0) break;
        return showPlaces(args, wantsJson);
      case "check":
        if (words.length > 1) break;
        return check(args, name, wantsJson);
      case "set":
        if (name === undefined || words.length > 2 || (value === undefined) !== isUnset) break;
        return await set({ args, name, value, wantsJson });
    }
    throw new CommandFailure(2, USE);
  },
});

/** Flags of settings are read here as by serve, so that `show` can say what they would change; help needs no list of them. */
function hidden(flags: Readonly<Record<string, SettingFlag>>): Record<string, SettingFlag> {
  const entries = Object.entries(flags).map(([name, flag]): [string, SettingFlag] => {
    return [name, name === "config" ? flag : { ...flag, use: "former" }];
  });
  return Object.fromEntries(entries);
}
