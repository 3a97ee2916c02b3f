import { systemRunner } from "../../service/keep-service.js";
import { followLines, lastLines } from "../../service/log-tail.js";
import type { ServiceLog } from "../../service/service.js";
import { createLogLines } from "../../terminal/log-lines.js";
import { colorsFor } from "../../terminal/print.js";
import { untilStopped } from "../journal/follow.js";
import { stopSignal } from "../line/stop-signal.js";

/** Shows the log of a service: to people as on the terminal of a gateway, to programs as it is. Returns the exit code. */
export async function showLogs(log: ServiceLog, lines: number, follow: boolean): Promise<number> {
  const { stdout } = process;
  const isForPeople = stdout.isTTY === true;
  const readable = createLogLines({ colors: colorsFor(stdout), columns: () => stdout.columns });
  const onLine = (line: string) => void stdout.write(isForPeople ? readable(`${line}\n`) : `${line}\n`);
  if (log.kind === "journal") {
    const command = log.show(lines, follow, isForPeople);
    if (!isForPeople) return (await systemRunner.show(command)) === 0 ? 0 : 1;
    // Ctrl-C ends the journal's program, and so this one.
    void stopSignal();
    return (await systemRunner.lines(command, onLine)) === 0 || follow ? 0 : 1;
  }
  for (const line of lastLines(log.path, lines)) onLine(line);
  showStart(lastLines(log.startPath, lines), isForPeople);
  if (!follow) return 0;
  await followLines({ path: log.path, onLine, ...untilStopped() });
  return 0;
}

/** What the program printed outside of its log is why it could not even begin one. */
function showStart(lines: readonly string[], isForPeople: boolean): void {
  if (lines.length === 0) return;
  const colors = colorsFor(process.stdout);
  const text = createLogLines({ colors, columns: () => undefined });
  process.stdout.write(`${colors.dim("Printed at its last start:")}\n`);
  for (const line of lines) process.stdout.write(isForPeople ? text(`${line}\n`) : `${line}\n`);
}
