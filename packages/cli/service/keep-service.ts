import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { CommandFailure } from "../terminal/print.js";
import type { CommandOutput, Service, SystemCommand } from "./service.js";

/** Writes the definition and starts the service, unless it already runs with the same one. @throws {CommandFailure} */
export async function installService(service: Service, runner: Runner): Promise<"installed" | "unchanged"> {
  const isNew = service.files.some((file) => contentOf(file) !== file.text);
  if (!isNew && (await serviceState(service, runner)).isRunning) return "unchanged";
  for (const { path, text, encoding } of service.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { encoding, mode: 0o600 });
  }
  await runAll(service.install, runner);
  return "installed";
}

/** Removes the files in any case. Returns the commands that failed, or undefined without a service. */
export async function uninstallService(service: Service, runner: Runner) {
  if (!isInstalled(service)) return undefined;
  const undone = await tryAll(service.uninstall, runner);
  for (const { path } of service.files) rmSync(path, { force: true });
  for (const path of service.links) rmSync(path, { force: true });
  return [...undone, ...(await tryAll(service.forget, runner))];
}

export type Action = "start" | "stop" | "restart";

/** @throws {CommandFailure} Without a service, or if the system refuses. */
export async function controlService(service: Service, action: Action, runner: Runner): Promise<void> {
  await runAll(installed(service)[action], runner);
}

/** @throws {CommandFailure} Without a service. */
export function installed(service: Service): Service {
  if (isInstalled(service)) return service;
  throw new CommandFailure(1, "Curlew is not installed as a service. Run: curlew service install");
}

export function isInstalled({ files }: Service): boolean {
  return files.some((file) => contentOf(file) !== undefined);
}

export async function serviceState(service: Service, runner: Runner) {
  return service.readState(await runner.run(service.query));
}

export function commandLine({ program, args }: SystemCommand): string {
  return [program, ...args.map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : JSON.stringify(arg)))].join(" ");
}

async function runAll(commands: readonly SystemCommand[], runner: Runner): Promise<void> {
  for (const command of commands) {
    const reason = refusal(command, await runner.run(command));
    if (reason === undefined) continue;
    throw new CommandFailure(1, `${commandLine(command)} ${reason}\nFix the problem above, then run it again.`);
  }
}

async function tryAll(commands: readonly SystemCommand[], runner: Runner) {
  const undone: { readonly command: SystemCommand; readonly reason: string }[] = [];
  for (const command of commands) {
    const reason = await runner.run(command).then((output) => refusal(command, output), reasonOf);
    if (reason !== undefined) undone.push({ command, reason });
  }
  return undone;
}

/** Why a command failed; undefined if it succeeded, or may fail. */
function refusal({ mayFail }: SystemCommand, { exitCode, stdout, stderr }: CommandOutput): string | undefined {
  if (exitCode === 0 || mayFail) return undefined;
  const said = (stderr.trim() || stdout.trim()).slice(0, 1_000);
  return `ended with ${exitCode}${said === "" ? "" : `: ${said}`}`;
}

function contentOf({ path, encoding }: Service["files"][number]): string | undefined {
  return unlessMissing(() => readFileSync(path, encoding));
}

/** More output is not kept: callers need a line or two. */
const MAX_OUTPUT_CHARS = 1_000_000;

/** Long enough for a service that lets its answers finish. */
const MAX_WAIT_MS = 60_000;

type Runner = ReturnType<typeof createRunner>;

export function createRunner({ env }: Pick<Machine, "env">, maxWaitMs = MAX_WAIT_MS) {
  return {
    /** @throws {CommandFailure} The command cannot be started, or does not answer. */
    async run({ program, args }: SystemCommand): Promise<CommandOutput> {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env, windowsHide: true });
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.kill("SIGKILL");
        // A process that it has started may keep these open.
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
      if (isLate) throw new CommandFailure(1, `${program} has not answered within ${maxWaitMs / 1_000} s.`);
      return { exitCode, ...texts };
    },
    show({ program, args }: SystemCommand) {
      return exitOf(once(spawn(program, args, { stdio: "inherit", env, windowsHide: true }), "close"), program);
    },
    lines({ program, args }: SystemCommand, onLine: (line: string) => void) {
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env, windowsHide: true });
      createInterface({ input: child.stdout }).on("line", onLine);
      return exitOf(once(child, "close"), program);
    },
  };
}

async function exitOf(closed: Promise<(number | null)[]>, program: string): Promise<number> {
  try {
    return (await closed)[0] ?? 1;
  } catch (thrown) {
    const why = `${program} cannot be started on this machine (${reasonOf(thrown)}).`;
    throw new CommandFailure(1, `${why} Have your system's own supervisor run: curlew serve`, { cause: thrown });
  }
}
