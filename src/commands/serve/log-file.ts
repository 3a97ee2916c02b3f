import { resolve } from "node:path";
import { CommandFailure } from "../../terminal/print.js";
import { reasonOf } from "../../turn/reason-of.js";

/** Opens the file that the log goes to instead of stderr. A crash of the process is noted in it. */
export async function openLogFile(path: string) {
  const [{ LogFile }, { createLog }] = await Promise.all([import("../../ops/log-file.js"), import("../../ops/log.js")]);
  try {
    const stream = new LogFile(resolve(path));
    const log = createLog({ level: "error", secrets: [], stream });
    process.on("uncaughtExceptionMonitor", (err) => log.error({ err }, "crashed"));
    return {
      stream,
      /** Writes why the gateway did not start: nobody may look where it was started. */
      noteFailure(thrown: unknown) {
        log.error({ reason: reasonOf(thrown) }, "not started");
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
