import { Argument } from "commander";
import {
  type ArgDef,
  type ArgsDef,
  type CommandDefinition,
  type CommandGroup,
  isCommandGroup,
  type ParsedArgs,
} from "../definition.js";
import { addHelp } from "./help.js";
import { type LineCommand, LineOption } from "./line-command.js";
import { needsValue, pathOf, refusal, unknownCommand } from "./wrong-usage.js";

type OnEnd = (exitCode: number) => void;

/** Gives a command of commander what its definition has: options and arguments, or commands below it. */
export function buildCommand(command: LineCommand, loaded: CommandDefinition | CommandGroup, onEnd: OnEnd): void {
  if (isCommandGroup(loaded)) buildGroup(command, loaded, onEnd);
  else buildLeaf(command, loaded, onEnd);
  addHelp(command, loaded);
}

function buildGroup(command: LineCommand, { subCommands, usual }: CommandGroup, onEnd: OnEnd): void {
  for (const [name, { about, definition }] of Object.entries(subCommands)) {
    const created = command.createCommand(name).copyInheritedSettings(command).description(about);
    command.addCommand(created, { isDefault: name === usual });
    buildCommand(created, definition, onEnd);
  }
  command.helpCommand(false);
  command.hook("preSubcommand", (_, chosen) => {
    // Where no command is named, commander gives all words to the usual one.
    const [first = chosen.name()] = command.args;
    if (!first.startsWith("-") && first !== chosen.name()) throw unknownCommand(command, first);
  });
  if (usual !== undefined) return;
  const names = Object.keys(subCommands).join("|");
  command.action(() => {
    throw refusal(command, `Missing command: ${["curlew", ...pathOf(command), names].join(" ")}`);
  });
}

function buildLeaf(command: LineCommand, { args, passesOn = false, run }: CommandDefinition, onEnd: OnEnd): void {
  for (const [name, arg] of Object.entries(args)) {
    if (arg.type === "positional") command.addArgument(argumentFor(name, arg));
    else for (const option of optionsFor(name, arg, command)) command.addOption(option);
  }
  command.passThroughOptions(passesOn).allowExcessArguments(passesOn);
  command.action(async () => {
    const outcome = await run({ args: parsedArgs(args, command), rawArgs: command.rawArgs });
    onEnd(outcome ?? 0);
  });
}

function argumentFor(name: string, { description = "", required, isList }: Extract<ArgDef, { type: "positional" }>) {
  const word = isList ? `${name}...` : name;
  return new Argument(required ? `<${word}>` : `[${word}]`, description);
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
      const option = new LineOption(`${flags} <${arg.valueHint ?? name}>`, arg);
      if (arg.default !== undefined) option.default(arg.default);
      option.argParser((value) => {
        // It is most likely the next option, the value forgotten; = says that it is meant.
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
    // `--no-open` alone makes commander keep what it is not.
    if (arg.type === "boolean") return [name, option?.negate ? value === false : value === true || undefined];
    return [name, value === undefined ? undefined : String(value)];
  });
  return { ...Object.fromEntries(values), _: words };
}
