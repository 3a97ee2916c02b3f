import { envFileArg, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { check } from "./config/check.js";
import { set } from "./config/set.js";
import { showPlaces } from "./config/show-places.js";
import { showSettings } from "./config/show-settings.js";
import { CommandFailure } from "./line/command-failure.js";
import { type ArgDef, type CommandGroup, subCommand } from "./line/definition.js";

const json = { type: "boolean", description: "Print JSON" } as const;
/** As `serve` reads them. */
const sources = { ...asRare(settingArgs(settingsWithFlag(settingsTable))), ...envFileArg } as const;

export const config: CommandGroup = {
  usual: "show",
  subCommands: {
    show: subCommand("Show what is set, and where: file and line, variable or flag", {
      examples: [
        ["curlew config show", "what is set, and where"],
        ["curlew config show --all", "also the defaults"],
      ],
      args: { all: { type: "boolean", description: "Also what is not set, with its default" }, json, ...sources },
      run: ({ args }) => showSettings(args, { wantsAll: args.all === true, wantsJson: args.json === true }),
    }),
    path: subCommand("Show where Curlew's files are", {
      examples: [["curlew config path", ""]],
      args: { json, ...settingArgs(["stateFolder"]) },
      run: ({ args }) => showPlaces(args, args.json === true),
    }),
    check: subCommand("Find every mistake in a settings file", {
      examples: [
        ["curlew config check", ""],
        ["curlew config check /etc/curlew/curlew.json", "a file elsewhere"],
      ],
      args: {
        file: { type: "positional", description: "Instead of the usual settings file, flags and environment" },
        json,
        ...sources,
      },
      run: ({ args }) => check(args, args.file, args.json === true),
    }),
    set: subCommand("Change one setting in the settings file; its comments and layout stay", {
      examples: [
        ["curlew config set port 40000", ""],
        ["curlew config set port --unset", "back to the default"],
      ],
      args: {
        name: { type: "positional", required: true, description: "The setting, such as port" },
        value: { type: "positional", description: "Its new value, as the flag takes it" },
        unset: { type: "boolean", description: "Take the setting out of the file" },
        json,
        ...settingArgs([]),
      },
      run({ args }) {
        const { name, value, unset: isUnset = false, json: wantsJson = false } = args;
        if ((value === undefined) === isUnset) return set({ args, name, value, wantsJson });
        const use = `curlew config set ${name} VALUE, or curlew config set ${name} --unset`;
        throw new CommandFailure(2, `${isUnset ? "--unset takes no value" : "Missing value"}: ${use}`);
      },
    }),
  },
  examples: [
    ["curlew config set port 40000", "listen on another port from the next start"],
    ["curlew config check", "find mistakes before a start does"],
  ],
};

/** All flags of settings are taken here, and `--help all` is enough of them. */
function asRare(flags: Readonly<Record<string, ArgDef>>): Record<string, ArgDef> {
  const entries = Object.entries(flags).map(([name, flag]): [string, ArgDef] => {
    return [name, name === "config" || flag.use === "former" ? flag : { ...flag, use: "rare" }];
  });
  return Object.fromEntries(entries);
}
