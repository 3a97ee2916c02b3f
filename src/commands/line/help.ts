import type { ArgDef, ArgsDef } from "citty";
import type { SettingFlag } from "../../config/flags.js";
import { version } from "../../version.js";
import type { Colors } from "./colors.js";
import { wrap } from "./wrap.js";

const WIDTH = 110;

type Row = readonly [name: string, about: string];

const programOptions: readonly Row[] = [
  ["--help, -h", "Show help, also for a command: curlew ask --help"],
  ["--version, -v", "Show the version"],
];

export function programHelp(commands: readonly { name: string; about: string }[], colors: Colors): string {
  const rows = commands.map(({ name, about }): Row => [name, about]);
  return [
    `curlew ${version}: the models of your own Cursor subscription, for any AI client`,
    `${colors.bold("Usage:")} curlew [command] [options]`,
    section("Commands:", rows, colors),
    section("Options:", programOptions, colors),
  ].join("\n\n");
}

export function commandHelp(name: string, about: string, args: ArgsDef, colors: Colors): string {
  const entries = Object.entries(args);
  const positionals = entries.filter(([, { type }]) => type === "positional");
  const options = entries.filter(([, arg]) => arg.type !== "positional" && useOf(arg) === "common");
  const rare = entries.filter(([, arg]) => useOf(arg) === "rare").map(([flag]) => `--${flag}`);
  const usage = ["curlew", name, "[options]", ...positionals.map(([each]) => `[${each.toUpperCase()}]`)].join(" ");
  return [
    about,
    `${colors.bold("Usage:")} ${usage}`,
    ...(positionals.length > 0 ? [section("Arguments:", positionals.map(positionalRow), colors)] : []),
    section("Options:", options.map(optionRow), colors),
    ...(rare.length > 0 ? [rarelyNeeded(rare, colors)] : []),
  ].join("\n\n");
}

/** Options that are no settings of the table are common. */
export function useOf(arg: ArgDef | SettingFlag): SettingFlag["use"] {
  return "use" in arg ? arg.use : "common";
}

/** Only named: described, they would hide what most people look for. */
function rarelyNeeded(flags: readonly string[], { bold }: Colors): string {
  const lines = wrap(flags.join(" "), WIDTH - 2).map((line) => `  ${line}`);
  return [bold("Rarely needed, described in docs/guide/settings.md:"), ...lines].join("\n");
}

function positionalRow([name, { description }]: [string, ArgDef]): Row {
  return [name.toUpperCase(), description ?? ""];
}

function optionRow([name, arg]: [string, ArgDef]): Row {
  const { type, valueHint, description } = arg;
  const short = shortOf(arg);
  const flag = short === undefined ? `--${name}` : `--${name}, -${short}`;
  return [type === "boolean" ? flag : `${flag} <${valueHint ?? name}>`, description ?? ""];
}

/** The single letter that stands for an option, too. */
export function shortOf(arg: ArgDef | SettingFlag): string | undefined {
  return "alias" in arg && typeof arg.alias === "string" ? arg.alias : undefined;
}

function section(title: string, rows: readonly Row[], { bold, cyan }: Colors): string {
  const column = Math.min(34, Math.max(...rows.map(([name]) => name.length)) + 4);
  const lines = rows.map(([name, about]) => {
    const text = wrap(about, WIDTH - column).join(`\n${" ".repeat(column)}`);
    const gap = name.length + 4 > column ? `\n${" ".repeat(column)}` : " ".repeat(column - name.length - 2);
    return `  ${cyan(name)}${gap}${text}`;
  });
  return [bold(title), ...lines].join("\n");
}
