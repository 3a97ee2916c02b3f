import { version } from "./app/version.js";
import { commands } from "./commands/commands.js";
import { explain } from "./commands/line/explain.js";
import type { CommandMachine } from "./terminal/command-machine.js";
import { print } from "./terminal/print.js";

/** Runs one command line to its end. Returns the exit code. */
export async function runProgram(argv: readonly string[], machine: CommandMachine): Promise<number> {
  try {
    return await runCommand(argv, machine);
  } catch (thrown) {
    return explain(thrown, machine);
  }
}

async function runCommand(argv: readonly string[], machine: CommandMachine): Promise<number> {
  const [first] = argv;
  const { stdout } = machine;
  if (first === "--version" || first === "-v") return print(stdout, version);
  if (first === "__complete") {
    // For the scripts that `curlew completion` prints.
    const { complete } = await import("./commands/complete.js");
    stdout.write(await complete(commands, argv[1], argv.slice(2)));
    return 0;
  }
  const { runLine } = await import("./commands/line/parser/run-line.js");
  if (first !== undefined) return runLine(commands, inFull(argv), machine);
  const { startAlone } = await import("./commands/first-run.js");
  return startAlone(machine, (name, rawArgs) => runLine(commands, [name, ...rawArgs], machine));
}

/** Options alone are those of `serve`; `help ask all` means `ask --help all`. */
function inFull(argv: readonly string[]): readonly string[] {
  const [first = "", ...rest] = argv;
  if (first === "--help" || first === "-h") return argv;
  if (first === "help") {
    const isLong = rest.at(-1) === "all";
    return isLong ? [...rest.slice(0, -1), "--help", "all"] : [...rest, "--help"];
  }
  return first.startsWith("-") ? ["serve", ...argv] : argv;
}
