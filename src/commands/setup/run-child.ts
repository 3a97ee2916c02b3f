import { spawn } from "node:child_process";
import { constants } from "node:os";
import { CommandFailure } from "../line/command-failure.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a program on this terminal to its end; signals go in, its exit code comes out. */
export async function runChild(program: string, args: readonly string[], env: Environment): Promise<number> {
  // Scripts of npm on Windows can only be started by its shell.
  const isScript = /\.(cmd|bat)$/i.test(program);
  const words = isScript ? [`"${program}"`, ...args.map(quoted)] : [program, ...args];
  const [file = program, ...rest] = words;
  const child = spawn(file, rest, { stdio: "inherit", env, shell: isScript });
  const passOn = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to both of us, and twice means more than once to most clients.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
      child.once("error", ({ message }) => {
        reject(new CommandFailure(1, `${program} could not be started: ${message}`));
      });
    });
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}

function quoted(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}
