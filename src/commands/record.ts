import { finishCapture, RawCapture } from "../capture/index.js";
import type { Settings } from "../config/settings.js";
import { CommandFailure } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { version } from "../version.js";
import { checkWritable, writeCapture } from "./capture/write-capture.js";

/** Prepares a recording. @throws {CommandFailure} It could not be confirmed or written in the end. */
export async function prepareRecording(file: string, isGranted: boolean) {
  if (!isGranted && !process.stdin.isTTY) {
    throw new CommandFailure(2, "No terminal to confirm on. Run: curlew serve --record FILE --yes");
  }
  checkWritable(file);
  if (!isGranted) await import("@clack/prompts"); // when it is needed, an update may have removed its file
  const recorder = new RawCapture(() => performance.now());
  return {
    recorder,
    /** @throws {CommandFailure} This backend cannot be recorded. */
    begin(backend: string) {
      if (backend !== "agent" && backend !== "simulator") {
        const text = `Only the agent backend can be recorded, and this gateway uses ${backend}.`;
        throw new CommandFailure(2, `${text} Run: curlew serve --record FILE --backend agent`);
      }
      process.stderr.write("Recording. Do what goes wrong once, then stop with Ctrl-C.\n\n");
    },
    /** Shows the capture of everything since, and writes it on consent. */
    async finish(settings: Settings) {
      // No text of the conversation is shown, whatever it is.
      const capture = finishCapture(recorder, { by: "record", version, nowMs: Date.now(), shown: {} });
      const confirm = async () => isGranted || askConsent(`Write it to ${file}?`);
      const isWritten = await writeCapture(file, capture, { settings, confirm });
      process.stderr.write(isWritten ? `The capture is in ${file}\n` : "Nothing was written.\n");
    },
  };
}
