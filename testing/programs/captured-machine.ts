import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import type { CommandMachine } from "../../packages/cli/terminal/command-machine.js";
import { type Clock, systemClock } from "../../packages/gateway/system/clock.js";
import { NO_HOME } from "../../packages/gateway/system/machine.js";
import { mainFile } from "./main-file.js";

/** A stream that keeps what is written to it. */
export class TextStream extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(columns: number | undefined) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns ?? 0;
  }

  override _write(chunk: unknown, _: BufferEncoding, onWritten: () => void): void {
    this.text += String(chunk);
    this.emit("data");
    onWritten();
  }
}

export interface CapturedMachine extends CommandMachine {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly events: EventEmitter;
}

interface MachineOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** The width of a terminal; without it, output goes to pipes. */
  readonly columns?: number | undefined;
}

/** The longest pause of a command, which would ask again after a second or more. */
const MAX_PAUSE_MS = 20;

const impatientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, MAX_PAUSE_MS), signal),
};

/** What a command gets instead of a process. */
export function capturedMachine({ env = {}, stdin = "", columns }: MachineOptions = {}): CapturedMachine {
  return {
    env: { ...env },
    platform: process.platform,
    homeDirectory: env.HOME ?? NO_HOME,
    stdin: Readable.from([stdin]),
    stdout: new TextStream(columns),
    stderr: new TextStream(columns),
    events: new EventEmitter(),
    clock: impatientClock,
    mainFile,
  };
}
