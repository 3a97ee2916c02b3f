import { surviveErrors } from "../../ops/log-output.js";

/** Reports whether anything written to standard output has been lost. */
export function watchOutput(): () => boolean {
  // A closed pipe or a full disk is no reason to stop a gateway.
  surviveErrors(process.stderr);
  let isLost = false;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return; // a reader such as head(1) that has seen enough is no failure
    if (!isLost) process.stderr.write(`curlew: standard output cannot be written (${code}).\n`);
    isLost = true;
    process.exitCode ||= 1;
  });
  return () => isLost;
}
