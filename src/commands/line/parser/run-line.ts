import { CommanderError } from "commander";
import { version } from "../../../version.js";
import type { Command } from "../command.js";
import { buildCommand } from "./build-command.js";
import { helpOptions, programHelp, type Screen } from "./help.js";
import { LineCommand } from "./line-command.js";

/**
 * Runs a command line to its end.
 *
 * @param screen where help is shown
 * @returns the exit code
 * @throws {CommandFailure} The line cannot be understood, or its command fails.
 */
export async function runLine(
  commands: readonly Command[],
  argv: readonly string[],
  screen: Screen = process.stdout,
): Promise<number> {
  const program = createProgram(commands, argv, screen);
  let exitCode = 0;
  program.hook("preSubcommand", async (_, chosen) => {
    const known = commands.find(({ name }) => name === chosen.name());
    if (known === undefined || !(chosen instanceof LineCommand)) return;
    buildCommand(chosen, await known.load(), (code) => {
      exitCode = code;
    });
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    // Help has been shown.
    if (!(thrown instanceof CommanderError) || thrown.exitCode !== 0) throw thrown;
  }
  return exitCode;
}

/** The commands with their names alone: what else they have is added once one is chosen. */
function createProgram(commands: readonly Command[], argv: readonly string[], screen: Screen): LineCommand {
  const program = new LineCommand("curlew");
  program.rawArgs = argv;
  program.exitOverride().showSuggestionAfterError(false).enablePositionalOptions().helpCommand(false);
  program.configureOutput({ writeOut: (text) => void screen.write(text), getOutHasColors: () => true });
  program.helpOption("-h, --help", "Show help").configureHelp(helpOptions(argv, screen));
  program.version(version, "-v, --version", "Show the version");
  programHelp(program);
  for (const { name, about, group } of commands) program.command(name).description(about).helpGroup(`${group}:`);
  return program;
}
