import type { RunningServer } from "../app/start/start-server.js";
import { version } from "../app/version.js";
import { envFileArg, loadFrom, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { colorsFor } from "../terminal/print.js";
import { defineCommand, flag, option } from "./line/definition.js";
import { showBanner } from "./serve/banner.js";
import { serveUntilStopped } from "./serve/serve-until-stopped.js";

export const serve = defineCommand({
  examples: [
    ["curlew serve", "listen on http://127.0.0.1:32124"],
    ["curlew serve --port 8080 --log-level debug", "log more, elsewhere"],
    ["curlew serve --backend simulator", "try it without an account"],
    ["curlew serve --record bug.jsonl", "record it for a bug report"],
  ],
  args: {
    ...settingArgs(settingsWithFlag(settingsTable)),
    ...envFileArg,
    "or-simulate": flag("Serve a simulated Cursor if there is no credential"),
    "log-file": option(
      "path",
      "Write the log to this file instead of stderr; it rotates at 10 MiB, and five are kept",
      { use: "rare" },
    ),
    record: option("file", "Record for a bug report; shows what was recorded, and asks, before it writes the file"),
    yes: flag("Do not ask before the capture of --record is written", { use: "rare" }),
    json: flag("Print one JSON line on stdout instead of the banner"),
  },
  async run({ args, machine }) {
    const { settings, named } = loadFrom(args, machine);
    const path = args["log-file"];
    const logFile =
      path === undefined ? undefined : await (await import("./serve/log-file.js")).openLogFile(path, machine.events);
    const log = { logStream: logFile?.stream ?? machine.stderr, logColors: colorsFor(machine.stderr, machine.env) };
    const file = args.record;
    const recording =
      file === undefined
        ? undefined
        : await (await import("./capture/record.js")).prepareRecording(machine, file, args.yes === true);
    const options = { orSimulate: args["or-simulate"] === true, named, recorder: recording?.recorder, ...log };
    const isLogForPrograms = logFile !== undefined || settings.logFormat === "json";
    const announce = async (server: RunningServer) => {
      const { url, chosen } = server;
      if (args.json) machine.stdout.write(`${JSON.stringify({ url, backend: chosen.backend, pid: process.pid })}\n`);
      else if (!isLogForPrograms) showBanner(machine, server, settings);
      if (isLogForPrograms) (await server.ready).log.info({ url, backend: chosen.backend, version }, "listening");
    };
    const begin = (server: RunningServer) => {
      recording?.begin(server.chosen.backend);
      return announce(server);
    };
    await serveUntilStopped(machine, settings, options, begin).catch((thrown: unknown) => {
      logFile?.noteFailure(thrown);
      throw thrown;
    });
    await recording?.finish(settings);
  },
});
