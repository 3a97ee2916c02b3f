import { version } from "./app/version.js";
import { commands } from "./commands/commands.js";
import { explain } from "./commands/line/explain.js";
import { surviveErrors } from "./log/log-output.js";
import { print } from "./terminal/print.js";

async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-v") return print(version);
  if (first === "__complete") {
    // For the scripts that `curlew completion` prints.
    const { complete } = await import("./commands/complete.js");
    process.stdout.write(await complete(commands, argv[1], argv.slice(2)));
    return 0;
  }
  const { runLine } = await import("./commands/line/parser/run-line.js");
  if (first !== undefined) return runLine(commands, inFull(argv));
  const { startAlone } = await import("./commands/first-run.js");
  return startAlone((name, rawArgs) => runLine(commands, [name, ...rawArgs]));
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

/** Reports whether anything written to standard output has been lost. */
function watchOutput(): () => boolean {
  // A closed pipe or a full disk must not stop a gateway.
  surviveErrors(process.stderr);
  let isLost = false;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return; // a reader such as head(1) has seen enough
    if (!isLost) process.stderr.write(`curlew: standard output cannot be written (${code}).\n`);
    isLost = true;
    process.exitCode ||= 1;
  });
  return () => isLost;
}

const isOutputLost = watchOutput();
const exitCode = await main(process.argv.slice(2)).catch(explain);
process.exitCode = exitCode || (isOutputLost() ? 1 : 0);
