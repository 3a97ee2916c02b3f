import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure } from "../../terminal/print.js";

interface Described {
  readonly description?: string;
  /** Placeholder for the value, such as `file`; `h2|h1` lists all values. */
  readonly valueHint?: string;
  readonly group?: string;
  /** `--help` lists the common options, `--help all` the rare ones too. */
  readonly use?: "common" | "rare";
  readonly variable?: string;
  /** The default to show, if the command line does not set one itself. */
  readonly usual?: string;
}

interface TextOption extends Described {
  readonly type: "string";
  readonly default?: string;
  readonly alias?: string;
  /** The value if the option is given without one. */
  readonly alone?: string;
}

interface Flag extends Described {
  readonly type: "boolean";
  readonly alias?: string;
}

/** A setting that is on or off: `--x`, `--no-x`, `--x true` and `--x=false`. Its value is the text `true` or `false`. */
interface Switch extends Described {
  readonly type: "switch";
}

interface Positional extends Described {
  readonly type: "positional";
  /** If set, the parser refuses a missing value; otherwise the command handles it. */
  readonly required?: boolean;
  /** Takes all remaining words; `args._` has them. */
  readonly isList?: boolean;
}

export type ArgDef = TextOption | Flag | Switch | Positional;
export type ArgsDef = Readonly<Record<string, ArgDef>>;

type ValueOf<Arg extends ArgDef> = Arg extends { readonly type: "boolean" }
  ? boolean | undefined
  : Arg extends { readonly default: string } | { readonly type: "positional"; readonly required: true }
    ? string
    : string | undefined;

/** Values by option name, and all words that belong to no option. */
export type ParsedArgs<Args extends ArgsDef> = { readonly [Name in keyof Args]: ValueOf<Args[Name]> } & {
  readonly _: readonly string[];
};

export type Example = readonly [line: string, about: string];

export type Given = Readonly<Record<string, unknown>>;

export interface CommandDefinition<Args extends ArgsDef = ArgsDef> {
  readonly args: Args;
  readonly examples?: readonly Example[];
  /** For a command that starts another program: everything after the first argument belongs to that program. */
  readonly passesOn?: boolean;
  /** @returns the exit code, if not 0 */
  run(line: { readonly args: ParsedArgs<Args>; readonly machine: CommandMachine }): Outcome | Promise<Outcome>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a successful command returns nothing
type Outcome = number | void;

/** A command that only has subcommands, such as `keys` with `keys add` and `keys list`. */
export interface CommandGroup {
  readonly subCommands: Readonly<Record<string, SubCommand>>;
  readonly usual?: string;
  readonly examples?: readonly Example[];
}

export interface SubCommand {
  readonly about: string;
  readonly definition: CommandDefinition;
}

export function flag(description: string, more: Omit<Flag, "type"> = {}): Flag {
  return { type: "boolean", description, ...more };
}

export function option(valueHint: string, description: string, more: Omit<TextOption, "type"> = {}): TextOption {
  return { type: "string", description, valueHint, ...more };
}

export function word(description: string, more: Omit<Positional, "type"> = {}): Positional {
  return { type: "positional", description, ...more };
}

export function defineCommand<const Args extends ArgsDef>(definition: CommandDefinition<Args>): CommandDefinition {
  return definition;
}

export function subCommand<const Args extends ArgsDef>(about: string, definition: CommandDefinition<Args>): SubCommand {
  return { about, definition };
}

export function isCommandGroup(loaded: LoadedCommand): loaded is CommandGroup {
  return "subCommands" in loaded;
}

export interface Command {
  readonly name: string;
  readonly about: string;
  readonly group: string;
  load(): Promise<LoadedCommand>;
}

export type LoadedCommand = CommandDefinition | CommandGroup;

/** Group of rarely needed commands, listed only by `--help all`. */
export const BESIDE = "Tools";

/** Imports a command only when it runs, so that its dependencies do not slow down the others. */
export function command<Name extends string>(
  name: Name,
  group: string,
  about: string,
  load: () => Promise<Readonly<Record<Name, LoadedCommand>>>,
): Command {
  return { name, about, group, load: async () => (await load())[name] };
}

export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new CommandFailure(2, `${option} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}
