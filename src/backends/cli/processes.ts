import type { Clock } from "../../clock.js";
import { TextTail } from "../cursor/text-tail.js";
import { CliProcess, type ProcessExit, type ProcessSpec } from "./process.js";

const MAX_OUTPUT = 1024 * 1024;

export interface CommandOutput extends Pick<ProcessExit, "failure"> {
  readonly stdout: string;
  readonly stderr: string;
  /** The command was killed, so its output may be incomplete. */
  readonly wasCut: boolean;
}

export class Processes {
  readonly #clock: Clock;
  readonly #running = new Set<CliProcess>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#running.size;
  }

  /**
   * Starts a process.
   * @throws Error when the system refuses the command line.
   */
  start(spec: ProcessSpec): CliProcess {
    const started = new CliProcess(spec, this.#clock);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  /** Runs a short command to its end, or until its time is over. */
  async run(spec: ProcessSpec, timeoutMs: number, signal?: AbortSignal): Promise<CommandOutput> {
    const command = this.start(spec);
    const stdout = new TextTail(MAX_OUTPUT);
    let wasCut = false;
    const cut = () => {
      wasCut = true;
      void command.stop();
    };
    const stopWaiting = this.#clock.after(timeoutMs, cut);
    signal?.addEventListener("abort", cut, { once: true });
    if (signal?.aborted) cut();
    command.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    command.stdin.end();
    const { failure } = await command.ended;
    stopWaiting();
    signal?.removeEventListener("abort", cut);
    return { stdout: stdout.text, stderr: command.stderr, failure, wasCut };
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map((each) => each.stop()));
  }

  /** For the exit of our own process, when nothing can be awaited. */
  killAll(): void {
    for (const each of this.#running) each.kill();
  }
}
