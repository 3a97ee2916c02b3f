import { commands } from "./commands/commands.js";
import { explain } from "./commands/line/explain.js";
import { watchOutput } from "./commands/line/lost-output.js";
import { print } from "./terminal/print.js";
import { version } from "./version.js";

async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-v") return print(version);
  if (first === "__complete") return completeLine(argv);
  const { runLine } = await import("./commands/line/parser/run-line.js");
  if (first !== undefined) return runLine(commands, inFull(argv));
  const { startAlone } = await import("./commands/first-run.js");
  return startAlone((name, rawArgs) => runLine(commands, [name, ...rawArgs]));
}

/** For the scripts that `curlew completion` prints. */
async function completeLine([, shell, ...words]: readonly string[]): Promise<number> {
  const { complete } = await import("./commands/complete.js");
  process.stdout.write(await complete(commands, shell, words));
  return 0;
}

/** Options alone are those of `serve`; `help ask all` is another way to say `ask --help all`. */
function inFull(argv: readonly string[]): readonly string[] {
  const [first = "", ...rest] = argv;
  if (first === "--help" || first === "-h") return argv;
  if (first === "help") {
    const isLong = rest.at(-1) === "all";
    return isLong ? [...rest.slice(0, -1), "--help", "all"] : [...rest, "--help"];
  }
  return first.startsWith("-") ? ["serve", ...argv] : argv;
}

const isOutputLost = watchOutput();
const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (isOutputLost() ? 1 : 0);
