import type { Readable, Writable } from "node:stream";
import { type Clock, systemClock } from "@curlew/gateway/system/clock.js";
import { type Machine, thisMachine } from "@curlew/gateway/system/machine.js";

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All that a command gets from its process, so that it runs the same within another program. */
export interface CommandMachine extends Machine {
  /** `--env-file` adds to it, for child processes too. */
  readonly env: Record<string, string | undefined>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Signals, and `uncaughtExceptionMonitor`. */
  readonly events: Pick<NodeJS.EventEmitter, "on" | "once" | "off">;
  readonly clock: Clock;
  /** The file that runs, as it was called. */
  readonly mainFile: string;
}

export function commandMachine(): CommandMachine {
  const { env, stdin, stdout, stderr, argv } = process;
  return { ...thisMachine(), env, stdin, stdout, stderr, events: process, clock: systemClock, mainFile: argv[1] ?? "" };
}
