import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { createRunner } from "../../service/keep-service.js";
import type { ServiceLog } from "../../service/service.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { createLogLines } from "../../terminal/log-lines.js";
import { colorsFor } from "../../terminal/print.js";
import { untilStopped } from "../journal/follow.js";
import { stopSignal } from "../line/stop-signal.js";

/** Shows the log of a service: readable on a terminal, raw elsewhere. Returns the exit code. */
export async function showLogs(
  machine: CommandMachine,
  log: ServiceLog,
  lines: number,
  follow: boolean,
): Promise<number> {
  const { stdout } = machine;
  const isForPeople = stdout.isTTY === true;
  const colors = colorsFor(stdout, machine.env);
  const readable = createLogLines({ colors, columns: () => stdout.columns });
  const onLine = (line: string) => void stdout.write(isForPeople ? readable(`${line}\n`) : `${line}\n`);
  if (log.kind === "journal") {
    const runner = createRunner(machine);
    const command = log.show(lines, follow, isForPeople);
    if (!isForPeople) return (await runner.show(command)) === 0 ? 0 : 1;
    // Ctrl-C ends journalctl, and thereby this program.
    void stopSignal(machine.events);
    return (await runner.lines(command, onLine)) === 0 || follow ? 0 : 1;
  }
  for (const line of lastLines(log.path, lines)) onLine(line);
  // Output outside the log explains why the program could not even begin one.
  const printed = lastLines(log.startPath, lines);
  if (printed.length > 0) stdout.write(`${colors.dim("Printed at its last start:")}\n`);
  for (const line of printed) onLine(line);
  if (!follow) return 0;
  await followLines({ path: log.path, onLine, ...untilStopped(machine) });
  return 0;
}

const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LOOK_EVERY_MS = 300;

/** The last lines of a rotating log, oldest first, without line breaks. Empty without a log. */
export function lastLines(path: string, count: number): string[] {
  const newest = linesIn(path, count);
  const missing = count - newest.length;
  return missing > 0 ? [...linesIn(`${path}.1`, missing), ...newest] : newest;
}

function linesIn(path: string, count: number): string[] {
  const file = unlessMissing(() => openSync(path, "r"));
  if (file === undefined) return [];
  try {
    const from = Math.max(0, fstatSync(file).size - MAX_TAIL_BYTES);
    const end = Buffer.alloc(MAX_TAIL_BYTES);
    const lines = end.toString("utf8", 0, readSync(file, end, 0, end.length, from)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    if (from > 0) lines.shift(); // its beginning was not read
    return lines.slice(-count);
  } finally {
    closeSync(file);
  }
}

interface Following extends ReturnType<typeof untilStopped> {
  readonly path: string;
  readonly onLine: (line: string) => void;
}

/** Reports each new line, even if the log rotates meanwhile or does not exist yet. */
export async function followLines({ path, onLine, wait, signal }: Following): Promise<void> {
  let file = unlessMissing(() => openSync(path, "r"));
  let at = file === undefined ? 0 : fstatSync(file).size;
  let begun: Buffer = Buffer.alloc(0);
  /** Reads what is there, and buffers an incomplete line. */
  const read = (open: number) => {
    for (let chunk = readChunk(open, at); chunk.length > 0; chunk = readChunk(open, at)) {
      at += chunk.length;
      begun = Buffer.concat([begun, chunk]);
      for (let end = begun.indexOf("\n"); end >= 0; end = begun.indexOf("\n")) {
        onLine(begun.subarray(0, end).toString("utf8"));
        begun = begun.subarray(end + 1);
      }
    }
  };
  try {
    while (!signal.aborted) {
      if (file !== undefined) {
        const isOld = !isAt(file, path);
        read(file); // also the rest of a file that was just renamed
        if (isOld) {
          closeSync(file);
          file = undefined;
        }
      }
      if (file === undefined) {
        file = unlessMissing(() => openSync(path, "r"));
        at = 0;
        begun = Buffer.alloc(0);
        if (file !== undefined) continue;
      }
      await wait(LOOK_EVERY_MS);
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function isAt(file: number, path: string): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  const then = fstatSync(file, { bigint: true });
  return now !== undefined && now.ino === then.ino && now.dev === then.dev;
}

function readChunk(file: number, at: number): Buffer {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  return chunk.subarray(0, readSync(file, chunk, 0, chunk.length, at));
}
