import { startServer } from "../app/start/start-server.js";
import { finishCapture, RawCapture } from "../capture/index.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { version } from "../version.js";
import { checkWritable, writeCapture } from "./capture/write-capture.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { stopSignal } from "./line/stop-signal.js";
import { showBanner } from "./serve/banner.js";
import { askConsent } from "./terminal/prompts.js";

const serveSettings = settingsWithFlag(settingsTable);

export const record = defineCommand({
  examples: [["curlew record bug.json", "record until Ctrl-C, then ask before writing"]],
  args: {
    file: { type: "positional", required: false, description: "Where the capture is written", valueHint: "file" },
    yes: { type: "boolean", description: "Do not ask before the capture is written" },
    json: { type: "boolean", description: "Print one JSON line on stdout instead of the banner" },
    ...settingArgs(serveSettings),
  },
  /** A gateway as `serve` runs it. When it is stopped, the capture of everything since is shown, and written on consent. */
  async run({ args }) {
    const { file } = args;
    const isGranted = args.yes === true;
    if (file === undefined) throw new CommandFailure(2, "Name the file to write. Run: curlew record FILE");
    if (!isGranted && !process.stdin.isTTY)
      throw new CommandFailure(2, "No terminal to confirm on. Run: curlew record FILE --yes");
    checkWritable(file);
    const { settings, named } = loadFrom(args, serveSettings);
    const hurry = new AbortController();
    const stopped = stopSignal(() => hurry.abort());
    const recorder = new RawCapture(() => performance.now());
    const logColors = colorsFor(process.stderr);
    const server = await startServer(settings, { orSimulate: false, recorder, named, logColors });
    const { url, chosen } = server;
    if (chosen.backend !== "agent" && chosen.backend !== "simulator") {
      await server.stop(AbortSignal.abort());
      const text = `Only the agent backend can be recorded, and this gateway uses ${chosen.backend}.`;
      throw new CommandFailure(2, `${text} Run: curlew record FILE --backend agent`);
    }
    if (args.json) process.stdout.write(`${JSON.stringify({ url, backend: chosen.backend, pid: process.pid })}\n`);
    else showBanner(server, settings);
    process.stderr.write("Recording. Do what goes wrong once, then stop with Ctrl-C.\n\n");
    try {
      await server.ready;
      await stopped;
    } finally {
      await server.stop(hurry.signal);
    }
    // No text of the conversation is shown, whatever it is.
    const capture = finishCapture(recorder, { by: "record", version, nowMs: Date.now(), shown: {} });
    const confirm = async () => isGranted || askConsent(`Write it to ${file}?`);
    const isWritten = await writeCapture(file, capture, { settings, confirm });
    process.stderr.write(isWritten ? `The capture is in ${file}\n` : "Nothing was written.\n");
  },
});
