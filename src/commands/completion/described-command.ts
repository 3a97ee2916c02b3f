import { z } from "zod";
import { flagName, type SettingsTable, settingsTable } from "../../config/table.js";
import type { Command } from "../line/command.js";
import { type ArgDef, type ArgsDef, type CommandGroup, isCommandGroup } from "../line/definition.js";

export interface DescribedCommand {
  /** One below another has both names: `keys add`. */
  readonly name: string;
  readonly about: string;
  readonly options: readonly DescribedOption[];
  /** What may stand without a flag. */
  readonly words: readonly string[];
}

export interface DescribedOption {
  readonly flag: string;
  readonly about: string;
  /** "choice": one of `values`; "path": a file or folder; "none": the flag stands alone. */
  readonly takes: "none" | "choice" | "path" | "text";
  readonly values: readonly string[];
}

/** All commands, those with others below them followed by those. */
export async function describeCommands(commands: readonly Command[]): Promise<DescribedCommand[]> {
  const described = commands.map(async ({ name, about, load }) => {
    const loaded = await load();
    return isCommandGroup(loaded) ? describeGroup(name, about, loaded) : [describeCommand(name, about, loaded.args)];
  });
  return (await Promise.all(described)).flat();
}

/** The group itself has the options of the command that runs where none is named. */
function describeGroup(name: string, about: string, { subCommands, usual = "" }: CommandGroup): DescribedCommand[] {
  const below = Object.entries(subCommands).map(([word, { about: does, definition }]) =>
    describeCommand(`${name} ${word}`, does, definition.args),
  );
  const options = below.find((each) => each.name === `${name} ${usual}`)?.options ?? [];
  return [{ name, about, options, words: Object.keys(subCommands) }, ...below];
}

export function isTopLevel({ name }: DescribedCommand): boolean {
  return !name.includes(" ");
}

export function describeCommand(
  name: string,
  about: string,
  args: ArgsDef,
  table: SettingsTable = settingsTable,
): DescribedCommand {
  const entries = Object.entries(args);
  const choices = settingChoices(table);
  return {
    name,
    about,
    options: entries
      .filter(([, arg]) => arg.type !== "positional" && arg.use !== "former")
      .flatMap(([flag, arg]) => [
        describeOption(flag, arg, choices),
        ...(arg.type === "switch" ? [describeOption(`no-${flag}`, { ...arg, type: "boolean" }, choices)] : []),
      ]),
    words: entries.flatMap(([, arg]) => (arg.type === "positional" ? choicesOf(arg.valueHint) : [])),
  };
}

function describeOption(flag: string, arg: ArgDef, choices: ReturnType<typeof settingChoices>): DescribedOption {
  const about = (arg.description ?? "").replace(/\s+/g, " ");
  const plain = { flag: `--${flag}`, about, values: [] };
  if (arg.type === "boolean") return { ...plain, takes: "none" };
  const hinted = choicesOf(arg.valueHint);
  const values = hinted.length > 0 ? hinted : (choices.get(flag) ?? []);
  if (values.length > 0) return { ...plain, takes: "choice", values };
  return { ...plain, takes: /^(file|folder)$/.test(arg.valueHint ?? "") ? "path" : "text" };
}

/** `h2|h1` and the like; words with a number to fill in, such as `fail-N`, are left to the user. */
function choicesOf(hint = ""): string[] {
  return hint.includes("|") ? hint.split("|").filter((word) => /^[a-z0-9-]+$/.test(word)) : [];
}

function settingChoices(table: SettingsTable): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(table).flatMap(([name, setting]): [string, readonly string[]][] => {
      if (typeof setting.default === "boolean") return [[flagName(name), ["true", "false"]]];
      const type = setting.type();
      return type instanceof z.ZodEnum ? [[flagName(name), type.options.map(String)]] : [];
    }),
  );
}
