import { Argument } from "commander";
import type { CommandMachine } from "../../../terminal/command-machine.js";
import {
  type ArgDef,
  type ArgsDef,
  type CommandDefinition,
  type CommandGroup,
  isCommandGroup,
  type LoadedCommand,
  type ParsedArgs,
} from "../definition.js";
import { addCommandHelp, type HelpStyle } from "./help.js";
import { type LineCommand, LineOption } from "./line-command.js";
import { needsValue, pathOf, refusal, unknownCommand } from "./wrong-usage.js";

interface BuildOptions {
  readonly style: HelpStyle;
  readonly machine: CommandMachine;
  readonly onEnd: (exitCode: number) => void;
}

export function buildCommand(command: LineCommand, loaded: LoadedCommand, options: BuildOptions): void {
  if (isCommandGroup(loaded)) buildGroup(command, loaded, options);
  else buildLeaf(command, loaded, options);
  addCommandHelp(command, loaded, options.style);
}

function buildGroup(command: LineCommand, { subCommands, usual }: CommandGroup, options: BuildOptions): void {
  for (const [name, { about, definition }] of Object.entries(subCommands)) {
    const created = command.createCommand(name).copyInheritedSettings(command).description(about);
    command.addCommand(created, { isDefault: name === usual });
    buildCommand(created, definition, options);
  }
  command.helpCommand(false);
  command.hook("preSubcommand", (_, chosen) => {
    // Without a subcommand, commander passes all words to the default one.
    const [first = chosen.name()] = command.args;
    if (!first.startsWith("-") && first !== chosen.name()) throw unknownCommand(command, first);
  });
  if (usual !== undefined) return;
  const names = Object.keys(subCommands).join("|");
  command.action(() => {
    throw refusal(command, `Missing command: ${["curlew", ...pathOf(command), names].join(" ")}`);
  });
}

function buildLeaf(command: LineCommand, definition: CommandDefinition, options: BuildOptions): void {
  const { args, passesOn = false, run } = definition;
  // Determines the order of groups in help.
  const entries = Object.entries(args).sort(([, one], [, other]) => Number(isSetting(one)) - Number(isSetting(other)));
  for (const [name, arg] of entries) {
    if (arg.type === "positional") {
      const word = arg.isList ? `${name}...` : name;
      command.addArgument(new Argument(arg.required ? `<${word}>` : `[${word}]`, arg.description ?? ""));
    }
    for (const option of optionsFor(name, arg, command)) command.addOption(option.helpGroup(`${arg.group ?? OWN}:`));
  }
  command.passesOn = passesOn;
  command.passThroughOptions(passesOn).allowExcessArguments(passesOn);
  command.action(async () => {
    const outcome = await run({ args: parsedArgs(args, command), machine: options.machine });
    options.onEnd(outcome ?? 0);
  });
}

const OWN = "Options";

function isSetting({ group = OWN }: ArgDef): boolean {
  return group !== OWN;
}

function optionsFor(name: string, arg: ArgDef, command: LineCommand): LineOption[] {
  const flag = `--${name}`;
  switch (arg.type) {
    case "positional":
      return [];
    case "boolean":
      return [new LineOption(arg.alias === undefined ? flag : `-${arg.alias}, ${flag}`, arg)];
    case "switch":
      return [new LineOption(`${flag} [true|false]`, arg), new LineOption(`--no-${name}`, arg).hideHelp()];
    case "string": {
      const flags = arg.alias === undefined ? flag : `-${arg.alias}, ${flag}`;
      const hint = arg.valueHint ?? name;
      const option = new LineOption(arg.alone === undefined ? `${flags} <${hint}>` : `${flags} [${hint}]`, arg);
      if (arg.alone !== undefined) option.preset(arg.alone);
      if (arg.default !== undefined) option.default(arg.default);
      option.argParser((value) => {
        // Most likely the next option, with the value forgotten; `=` makes it explicit.
        const at = value.startsWith("-") ? command.rawArgs.indexOf(value) : -1;
        if (at > 0) throw needsValue(command, command.rawArgs[at - 1]);
        return value;
      });
      return [option];
    }
  }
}

function parsedArgs(args: ArgsDef, command: LineCommand): ParsedArgs<ArgsDef> {
  const words = command.args;
  let position = 0;
  const values = Object.entries(args).map(([name, arg]) => {
    if (arg.type === "positional") return [name, words[position++]];
    const option = command.options.find((each) => each.long === `--${name}`);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    // For a lone `--no-open`, commander stores the negated value.
    if (arg.type === "boolean") return [name, option?.negate ? value === false : value === true || undefined];
    return [name, value === undefined ? undefined : String(value)];
  });
  return { ...Object.fromEntries(values), _: words };
}
