import { loadFrom, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { banner } from "./banner.js";
import { colorsFor } from "./line/colors.js";
import { defineCommand } from "./line/definition.js";
import { serveUntilStopped } from "./serve/serve-until-stopped.js";

const serveSettings = settingsWithFlag(settingsTable);

export const serve = defineCommand({
  args: {
    ...settingArgs(serveSettings),
    "or-simulate": { type: "boolean", description: "With no Cursor credential at all, serve from a simulated Cursor" },
    json: { type: "boolean", description: "Instead of the banner, one JSON line on stdout once the port is open" },
  },
  async run({ args }) {
    const { settings, named } = loadFrom(args, serveSettings);
    const logColors = colorsFor(process.stderr);
    await serveUntilStopped(settings, { orSimulate: args["or-simulate"] === true, named, logColors }, (server) => {
      const { url, chosen, hasNamedKeys } = server;
      if (args.json) {
        process.stdout.write(`${JSON.stringify({ url, backend: chosen.backend, pid: process.pid })}\n`);
        return;
      }
      const pageLink = process.stderr.isTTY ? server.newPageLink() : undefined;
      process.stderr.write(banner({ url, chosen, settings, hasNamedKeys, pageLink }, logColors));
    });
  },
});
