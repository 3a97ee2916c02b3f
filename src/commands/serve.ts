import { defineCommand } from "citty";
import type { ComposedGateway } from "../app/compose.js";
import { startServer } from "../app/start/start-server.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { settingsTable, settingsWithFlag } from "../config/table.js";
import { GatewayError } from "../turn/error.js";
import { banner } from "./banner.js";
import { colorsFor } from "./line/colors.js";
import { stopSignal } from "./line/stop-signal.js";

const WARM_UP_MS = 30_000;
const serveSettings = settingsWithFlag(settingsTable);

export const serve = defineCommand({
  args: {
    ...settingArgs(serveSettings),
    "or-simulate": { type: "boolean", description: "With no Cursor credential at all, serve from a simulated Cursor" },
    json: { type: "boolean", description: "Instead of the banner, one JSON line on stdout once the port is open" },
  },
  async run({ args }) {
    const { settings } = loadFrom(args, serveSettings);
    const hurry = new AbortController();
    let isStopping = false;
    const stopped = stopSignal(() => hurry.abort()).then(() => {
      isStopping = true;
    });
    const colors = colorsFor(process.stderr);
    const server = await startServer(settings, { orSimulate: args["or-simulate"] === true, logTarget: { colors } });
    const { url, chosen, hasNamedKeys } = server;
    if (args.json) process.stdout.write(`${JSON.stringify({ url, backend: chosen.backend, pid: process.pid })}\n`);
    else {
      const pageLink = process.stderr.isTTY ? server.newPageLink() : undefined;
      process.stderr.write(banner({ url, chosen, settings, hasNamedKeys, pageLink }, colors));
    }
    try {
      warmUp(await server.ready, () => isStopping);
      await stopped;
    } finally {
      await server.stop(hurry.signal);
    }
  },
});

/**
 * Asks Cursor for the models now, so that the first turn need not wait for the list, and a bad credential is reported at once.
 */
function warmUp({ gateway, log }: ComposedGateway, isStopping: () => boolean): void {
  gateway.models(AbortSignal.timeout(WARM_UP_MS), { isFresh: true }).catch((thrown: unknown) => {
    const { code, message } = GatewayError.from(thrown);
    if (!isStopping()) log.warn({ code, reason: message }, "the model list could not be read");
  });
}
