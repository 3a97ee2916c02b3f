import { spawn } from "node:child_process";
import { once } from "node:events";
import { type CommandOutput, ServiceError, type SystemCommand } from "./service.js";

/** More output is not read: callers need a line or two. */
const MAX_OUTPUT_CHARS = 1_000_000;

export interface Runner {
  run(command: SystemCommand): Promise<CommandOutput>;
  /** Runs a command on this terminal, and returns its exit code. */
  show(command: SystemCommand): Promise<number>;
}

export const systemRunner: Runner = {
  async run({ program, args }) {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const texts = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        texts[stream] = (texts[stream] + text).slice(0, MAX_OUTPUT_CHARS);
      });
    }
    return { exitCode: await exitOf(once(child, "close"), program), ...texts };
  },
  show({ program, args }) {
    return exitOf(once(spawn(program, args, { stdio: "inherit", windowsHide: true }), "close"), program);
  },
};

async function exitOf(closed: Promise<(number | null)[]>, program: string): Promise<number> {
  try {
    return (await closed)[0] ?? 1;
  } catch (thrown) {
    throw new ServiceError(
      `${program} cannot be started on this machine (${thrown instanceof Error ? thrown.message : String(thrown)}). ` +
        "Have your system's own supervisor run: curlew serve",
      { cause: thrown },
    );
  }
}
