import { z } from "zod";
import { flagName, type SettingsTable, settingsTable } from "../config/table.js";
import { type ArgDef, type ArgsDef, type Command, isCommandGroup } from "./line/definition.js";

/** A completion; `about` is empty if there is no description. */
type Choice = readonly [value: string, about: string];

/** Tells the shell to complete file names itself. */
const FILES: Choice = [":files", ""];
const help: Choice = ["help", "Show help"];
const flags: readonly Choice[] = [
  ["--help", "Show help"],
  ["--version", "Show the version"],
];

/** Answers the scripts of `curlew completion`. The last word is the one being typed, with a dot before it. */
export async function complete(
  commands: readonly Command[],
  shell = "",
  words: readonly string[] = [],
  table: SettingsTable = settingsTable,
): Promise<string> {
  // bash splits --flag=value at the equals sign.
  const before = words.slice(0, -1).filter((word) => word !== "=");
  const typed = words.at(-1)?.slice(1).replace(/^=$/, "") ?? "";
  const [flag = ""] = /^--[\w-]+=/.exec(typed) ?? [];
  const value = typed.slice(flag.length);
  const place = { before: flag === "" ? before : [...before, flag.slice(0, -1)], typed: value, table };
  const choices = await choicesFor(commands, place);
  const fitting = choices.filter((choice) => choice === FILES || choice[0].startsWith(value));
  return fitting
    .map((choice) => `${lineOf(shell, choice === FILES ? choice : [`${flag}${choice[0]}`, choice[1]])}\n`)
    .join("");
}

function lineOf(shell: string, [value, about]: Choice): string {
  if (shell === "bash" || about === "") return value;
  return shell === "zsh" ? `${value.replaceAll(":", "\\:")}:${about}` : `${value}\t${about}`;
}

interface Place {
  readonly before: readonly string[];
  readonly typed: string;
  readonly table: SettingsTable;
}

async function choicesFor(commands: readonly Command[], place: Place): Promise<readonly Choice[]> {
  const { before, typed } = place;
  const named = commands.map(({ name, about }): Choice => [name, about]);
  const [first] = before;
  if (first === undefined && !typed.startsWith("-")) return [...named, help, ...flags];
  if (first === "help") return named;
  const isNamed = first !== undefined && !first.startsWith("-");
  const loaded = await commands.find(({ name }) => name === (isNamed ? first : "serve"))?.load();
  if (loaded === undefined) return [];
  if (!isCommandGroup(loaded)) return choicesOf(loaded.args, place);
  const { subCommands, usual = "" } = loaded;
  const below = subCommands[before[1] ?? ""];
  if (below !== undefined) return choicesOf(below.definition.args, place);
  const names = Object.entries(subCommands).map(([name, { about }]): Choice => [name, about]);
  return [...names, ...choicesOf(subCommands[usual]?.definition.args ?? {}, place)];
}

function choicesOf(args: ArgsDef, { before, table }: Place): readonly Choice[] {
  const last = before.at(-1) ?? "";
  const awaited = Object.entries(args).find(([name, { type }]) => last === `--${name}` && type !== "boolean");
  if (awaited !== undefined) return valuesOf(...awaited, table);
  const offered = Object.entries(args).flatMap(([name, arg]): Choice[] => {
    const about = (arg.description ?? "").replace(/\s+/g, " ");
    if (arg.type === "positional") return hinted(arg);
    return [[`--${name}`, about], ...(arg.type === "switch" ? [[`--no-${name}`, about] as const] : [])];
  });
  return [...offered, ["--help", "Show help"]];
}

function valuesOf(flag: string, arg: ArgDef, table: SettingsTable): readonly Choice[] {
  const values = hinted(arg);
  if (values.length > 0) return values;
  if (/^(file|folder|path)$/.test(arg.valueHint ?? "")) return [FILES];
  const setting = Object.entries(table).find(([name]) => flagName(name) === flag)?.[1];
  if (typeof setting?.default === "boolean") return toChoices(["true", "false"]);
  const type = setting?.type();
  return type instanceof z.ZodEnum ? toChoices(type.options.map(String)) : [];
}

/** Choices such as `h2|h1`, without placeholders such as `fail-N`. */
function hinted({ valueHint = "" }: ArgDef): Choice[] {
  return valueHint.includes("|") ? toChoices(valueHint.split("|").filter((word) => /^[a-z0-9-]+$/.test(word))) : [];
}

function toChoices(values: readonly string[]): Choice[] {
  return values.map((value) => [value, ""]);
}
