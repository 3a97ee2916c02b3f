// Only this folder uses commander. Version 15 needs a newer Node than 20.19. The settings table has the variables and choices.

import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { CommanderError, type Command as ParsedCommand } from "commander";
import { version } from "../../../app/version.js";
import type { CommandMachine } from "../../../terminal/command-machine.js";
import type { Command } from "../definition.js";
import { buildCommand } from "./build-command.js";
import { addProgramHelp, type HelpStyle, helpOptions, helpStyle } from "./help.js";
import { LineCommand } from "./line-command.js";

/** Runs a command line to its end, and returns the exit code. @throws {CommandFailure} */
export async function runLine(
  commands: readonly Command[],
  argv: readonly string[],
  machine: CommandMachine,
): Promise<number> {
  const { stdout } = machine;
  let exitCode = 0;
  const style = helpStyle(argv, machine);
  const program = createProgram(commands, argv, style);
  const onEnd = (code: number) => {
    exitCode = code;
  };
  const load = async (chosen: unknown) => {
    if (!(chosen instanceof LineCommand)) return;
    const known = commands.find(({ name }) => name === chosen.name());
    if (known !== undefined) buildCommand(chosen, await known.load(), { style, machine, onEnd });
  };
  program.hook("preSubcommand", (_, chosen) => load(chosen));
  // Only `curlew --help all` lists subcommands.
  if (style.isLong && argv.length === 2) await Promise.all(program.commands.map(load));
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    const isHelpShown = thrown instanceof CommanderError && thrown.exitCode === 0;
    if (!isHelpShown && wantsJson(program, argv)) stdout.write(`${shownOn(stdout, jsonFailure(thrown))}\n`);
    if (!isHelpShown) throw thrown;
  }
  return exitCode;
}

/** The commands by name only; the rest is built once one is chosen. */
function createProgram(commands: readonly Command[], argv: readonly string[], style: HelpStyle): LineCommand {
  const program = new LineCommand("curlew");
  program.rawArgs = argv;
  program.exitOverride().showSuggestionAfterError(false).enablePositionalOptions().helpCommand(false);
  program.configureOutput({ writeOut: (text) => void style.stdout.write(text), getOutHasColors: () => true });
  program.helpOption("-h, --help", "Show help").configureHelp(helpOptions(style));
  program.version(version, "-v, --version", "Show the version");
  addProgramHelp(program);
  for (const { name, about, group } of commands) program.command(name).description(about).helpGroup(`${group}:`);
  return program;
}

/** A failure as JSON: its code, if it has one, and its message. */
function jsonFailure(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  return JSON.stringify({ error: { ...(code !== undefined && { code }), message: reasonOf(thrown) } });
}

/** Whether a line asks for JSON from a command that can print it: arguments after `run claude` are for another program. */
function wantsJson(program: ParsedCommand, argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json") && printsJson(namedBy(program, argv));
}

function namedBy(command: ParsedCommand, [word, ...rest]: readonly string[]): ParsedCommand {
  const below = command.commands.find((each) => each.name() === word);
  return below === undefined ? command : namedBy(below, rest);
}

function printsJson(command: ParsedCommand): boolean {
  return command.options.some(({ long }) => long === "--json") || command.commands.some(printsJson);
}
