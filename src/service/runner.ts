import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { reasonOf } from "../turn/reason-of.js";
import { type CommandOutput, ServiceError, type SystemCommand } from "./service.js";

/** More output is not read: callers need a line or two. */
const MAX_OUTPUT_CHARS = 1_000_000;

/** Long enough for a service that lets its answers finish. */
const MAX_WAIT_MS = 60_000;

export interface Runner {
  /** @throws {ServiceError} The command cannot be started, or does not answer. */
  run(command: SystemCommand): Promise<CommandOutput>;
  show(command: SystemCommand): Promise<number>;
  lines(command: SystemCommand, onLine: (line: string) => void): Promise<number>;
}

export function createRunner(maxWaitMs = MAX_WAIT_MS): Runner {
  return {
    async run({ program, args }) {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.kill("SIGKILL");
        // A process that it has started may hold these.
        child.stdout.destroy();
        child.stderr.destroy();
      }, maxWaitMs);
      const texts = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].setEncoding("utf8").on("data", (text: string) => {
          texts[stream] = (texts[stream] + text).slice(0, MAX_OUTPUT_CHARS);
        });
      }
      const exitCode = await exitOf(once(child, "close"), program).finally(() => clearTimeout(timer));
      if (isLate) throw new ServiceError(`${program} has not answered within ${maxWaitMs / 1_000} s.`);
      return { exitCode, ...texts };
    },
    show({ program, args }) {
      return exitOf(once(spawn(program, args, { stdio: "inherit", windowsHide: true }), "close"), program);
    },
    lines({ program, args }, onLine) {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], windowsHide: true });
      createInterface({ input: child.stdout }).on("line", onLine);
      return exitOf(once(child, "close"), program);
    },
  };
}

export const systemRunner: Runner = createRunner();

async function exitOf(closed: Promise<(number | null)[]>, program: string): Promise<number> {
  try {
    return (await closed)[0] ?? 1;
  } catch (thrown) {
    throw new ServiceError(
      `${program} cannot be started on this machine (${reasonOf(thrown)}). ` +
        "Have your system's own supervisor run: curlew serve",
      { cause: thrown },
    );
  }
}
