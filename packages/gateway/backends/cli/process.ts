import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../system/clock.js";
import { isGroupAlive, signalGroup } from "../../system/process-group.js";
import { TextTail } from "../cursor/text-tail.js";

const KILL_AFTER_MS = 1_000;
const LOOK_MS = 50;
/** How long an output may stay open and silent after all processes that should hold it have ended. */
const DRAIN_MS = 1_000;
const MAX_STDERR = 16 * 1024;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly failure?: Error | undefined;
}

/** One run of the CLI, with a process group that ends with it. The caller must read its stdout or stop it. */
export class CliProcess {
  /** Resolves when the process, its group and its outputs are all gone; never rejects. */
  readonly ended: Promise<ProcessExit>;
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #clock: Clock;
  readonly #stderr = new TextTail(MAX_STDERR);
  #isStopping = false;

  constructor({ command, args, cwd, env }: ProcessSpec, clock: Clock) {
    this.#clock = clock;
    this.#child = spawn(command, args, {
      cwd,
      env,
      stdio: "pipe",
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.pid = this.#child.pid;
    this.stdin = this.#child.stdin.on("error", () => {}); // the process need not read all of its input
    this.stdout = this.#child.stdout.on("error", () => {});
    this.#child.stderr.on("error", () => {}).on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    this.ended = this.#end();
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** Asks the process to end, and kills it if it does not. Unread output is lost. */
  stop(): Promise<ProcessExit> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.stdout.destroy();
      const isRunning = this.#child.exitCode === null && this.#child.signalCode === null;
      if (this.pid !== undefined && isRunning) {
        signalGroup(this.pid, "SIGTERM");
        const cancel = this.#clock.after(KILL_AFTER_MS, () => this.kill());
        this.#child.once("exit", cancel);
      }
    }
    return this.ended;
  }

  kill(): void {
    if (this.pid !== undefined) signalGroup(this.pid, "SIGKILL");
  }

  async #end(): Promise<ProcessExit> {
    const closed = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    const exit = await new Promise<ProcessExit>((resolve) => {
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
      this.#child.on("error", (failure) => {
        if (this.pid === undefined) resolve({ code: null, signal: null, failure });
      });
    });
    if (exit.failure !== undefined) return exit;
    await this.#endLeftBehind();
    await this.#drain(closed);
    return exit;
  }

  async #endLeftBehind(): Promise<void> {
    const { pid } = this;
    if (pid === undefined || !isGroupAlive(pid)) return;
    signalGroup(pid, "SIGTERM");
    const deadline = this.#clock.now() + KILL_AFTER_MS;
    await new Promise<void>((resolve) => {
      const stop = this.#clock.every(LOOK_MS, () => {
        if (isGroupAlive(pid)) {
          if (this.#clock.now() < deadline) return;
          signalGroup(pid, "SIGKILL");
        }
        stop();
        resolve();
      });
    });
  }

  /** Waits for the outputs to close, since processes that left the group may hold them open. A slow reader may take its time. */
  async #drain(closed: Promise<void>): Promise<void> {
    const { stdout, stderr } = this.#child;
    let wasQuiet = false;
    const stop = this.#clock.every(DRAIN_MS, () => {
      const isQuiet = stdout.destroyed || (!stdout.isPaused() && stdout.readableLength === 0);
      if (isQuiet && wasQuiet) {
        stdout.destroy();
        stderr.destroy();
      }
      wasQuiet = isQuiet;
    });
    await closed;
    stop();
  }
}

const MAX_OUTPUT = 1024 * 1024;

export interface CommandOutput extends Pick<ProcessExit, "failure"> {
  readonly stdout: string;
  readonly stderr: string;
  /** The command was killed, so its output may be incomplete. */
  readonly wasCut: boolean;
}

/** The output of a short command, which is stopped on timeout or abort. */
export async function outputOf(
  command: CliProcess,
  timeoutMs: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<CommandOutput> {
  const stdout = new TextTail(MAX_OUTPUT);
  let wasCut = false;
  const cut = () => {
    wasCut = true;
    void command.stop();
  };
  const stopWaiting = clock.after(timeoutMs, cut);
  signal?.addEventListener("abort", cut, { once: true });
  if (signal?.aborted) cut();
  command.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  command.stdin.end();
  const { failure } = await command.ended;
  stopWaiting();
  signal?.removeEventListener("abort", cut);
  return { stdout: stdout.text, stderr: command.stderr, failure, wasCut };
}
