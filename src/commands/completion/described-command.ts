import type { ArgDef, ArgsDef } from "citty";
import { z } from "zod";
import { flagName, type SettingsTable, settingsTable } from "../../config/table.js";
import { useOf } from "../line/help.js";

export interface DescribedCommand {
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
      .filter(([, arg]) => arg.type !== "positional" && useOf(arg) !== "former")
      .map(([flag, arg]) => describeOption(flag, arg, choices)),
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
