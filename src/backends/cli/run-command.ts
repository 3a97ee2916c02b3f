import type { Clock } from "../../clock.js";
import { TextTail } from "../cursor/text-tail.js";
import type { ProcessSpec } from "./process.js";
import type { Processes } from "./processes.js";

const MAX_OUTPUT = 1024 * 1024;

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Why it never ran. */
  readonly failure?: Error | undefined;
  /** It had to be ended: what there is may not be all. */
  readonly wasCut: boolean;
}

export interface CommandDeps {
  readonly processes: Processes;
  readonly clock: Clock;
}

/** Runs a short command to its end, or until its time is over. */
export async function runCommand(
  spec: ProcessSpec & { readonly timeoutMs: number },
  { processes, clock }: CommandDeps,
  signal?: AbortSignal,
): Promise<CommandOutput> {
  const command = processes.start(spec);
  const stdout = new TextTail(MAX_OUTPUT);
  let wasCut = false;
  const cut = () => {
    wasCut = true;
    void command.stop();
  };
  const stopWaiting = clock.after(spec.timeoutMs, cut);
  signal?.addEventListener("abort", cut, { once: true });
  if (signal?.aborted) cut();
  command.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  command.stdin.end();
  const { failure } = await command.ended;
  stopWaiting();
  signal?.removeEventListener("abort", cut);
  return { stdout: stdout.text, stderr: command.stderr, failure, wasCut };
}
