import { resolve } from "node:path";
import type { LogStream } from "../../ops/log-output.js";
import { CommandFailure } from "../line/command-failure.js";

interface OpenLogFile {
  readonly stream: LogStream;
  /** Writes why the gateway did not start: nobody may look where it was started. */
  noteFailure(thrown: unknown): void;
}

/**
 * Opens the file that the log goes to instead of stderr. A crash of the process is noted in it.
 * @throws {CommandFailure} The file cannot be written.
 */
export async function openLogFile(path: string): Promise<OpenLogFile> {
  const [{ LogFile }, { createLog }] = await Promise.all([import("../../ops/log-file.js"), import("../../ops/log.js")]);
  try {
    const stream = new LogFile(resolve(path));
    const log = createLog({ level: "error", secrets: [], stream });
    process.on("uncaughtExceptionMonitor", (err) => log.error({ err }, "crashed"));
    return {
      stream,
      noteFailure(thrown) {
        log.error({ reason: thrown instanceof Error ? thrown.message : String(thrown) }, "not started");
      },
    };
  } catch (thrown) {
    const reason = thrown instanceof Error && "code" in thrown ? thrown.code : String(thrown);
    throw new CommandFailure(
      1,
      `The log file ${path} cannot be written (${String(reason)}). Choose another with --log-file.`,
    );
  }
}
