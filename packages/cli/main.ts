import { surviveErrors } from "./log/log-output.js";
import { runProgram } from "./run-program.js";
import { commandMachine } from "./terminal/command-machine.js";

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
const exitCode = await runProgram(process.argv.slice(2), commandMachine());
process.exitCode = exitCode || (isOutputLost() ? 1 : 0);
