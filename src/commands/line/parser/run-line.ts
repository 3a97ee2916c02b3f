import { CommanderError } from "commander";
import { shownOn } from "../../../shown-on.js";
import { version } from "../../../version.js";
import type { Command } from "../command.js";
import { buildCommand } from "./build-command.js";
import { addProgramHelp, type HelpStyle, helpOptions, helpStyle, type Screen } from "./help.js";
import { jsonFailure, wantsJson } from "./json-failure.js";
import { LineCommand } from "./line-command.js";

/**
 * Runs a command line to its end.
 *
 * @param screen where help is shown, and a failure as JSON where that is asked for
 * @returns the exit code
 * @throws {CommandFailure} The line cannot be understood, or its command fails.
 */
export async function runLine(
  commands: readonly Command[],
  argv: readonly string[],
  screen: Screen = process.stdout,
): Promise<number> {
  let exitCode = 0;
  const style = helpStyle(argv, screen);
  const program = createProgram(commands, argv, style);
  const onEnd = (code: number) => {
    exitCode = code;
  };
  const load = async (chosen: unknown) => {
    if (!(chosen instanceof LineCommand)) return;
    const known = commands.find(({ name }) => name === chosen.name());
    if (known !== undefined) buildCommand(chosen, await known.load(), { style, onEnd });
  };
  program.hook("preSubcommand", (_, chosen) => load(chosen));
  // Only all of the program's own help shows what is below its commands.
  if (style.isLong && argv.length === 2) await Promise.all(program.commands.map(load));
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    const isHelpShown = thrown instanceof CommanderError && thrown.exitCode === 0;
    if (!isHelpShown && wantsJson(program, argv)) screen.write(`${shownOn(process.stdout, jsonFailure(thrown))}\n`);
    if (!isHelpShown) throw thrown;
  }
  return exitCode;
}

/** The commands with their names alone: what else they have is added once one is chosen. */
function createProgram(commands: readonly Command[], argv: readonly string[], style: HelpStyle): LineCommand {
  const program = new LineCommand("curlew");
  program.rawArgs = argv;
  program.exitOverride().showSuggestionAfterError(false).enablePositionalOptions().helpCommand(false);
  program.configureOutput({ writeOut: (text) => void style.screen.write(text), getOutHasColors: () => true });
  program.helpOption("-h, --help", "Show help").configureHelp(helpOptions(style));
  program.version(version, "-v, --version", "Show the version");
  addProgramHelp(program);
  for (const { name, about, group } of commands) program.command(name).description(about).helpGroup(`${group}:`);
  return program;
}
