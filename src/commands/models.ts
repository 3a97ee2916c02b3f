import { defineCommand } from "citty";
import type { Model } from "../backends/backend.js";
import { loadSettings } from "../config/load.js";
import type { Gateway } from "../gateway/index.js";
import { shownName } from "../models/index.js";
import { GatewayError } from "../turn/error.js";
import { settingArgs, settingsFrom } from "./setting-args.js";
import { colorsFor } from "./terminal.js";
import { upstreamSettings } from "./upstream-settings.js";
import { withGateway } from "./with-gateway.js";

const LIST_TIMEOUT_MS = 30_000;

export const models = defineCommand({
  args: {
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(upstreamSettings),
  },
  async run({ args }) {
    const { settings } = loadSettings(settingsFrom(args, upstreamSettings));
    const list = await withGateway(settings, ({ gateway }) => newestList(gateway));
    process.stdout.write(args.json ? `${JSON.stringify(list.map(facts), null, 2)}\n` : table(list));
  },
});

/** As Cursor lists them now, or as they were when it was last reached. */
async function newestList(gateway: Gateway): Promise<readonly Model[]> {
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    return await gateway.models(signal, { isFresh: true });
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind === "authentication") throw thrown;
    const known = await gateway.models(signal);
    process.stderr.write("Cursor cannot be asked now; this is what it listed last.\n");
    return known;
  }
}

function facts(model: Model) {
  const { name, aliases, canThink, contextTokens } = model;
  return { id: shownName(model), name, aliases, canThink, ...(contextTokens !== undefined && { contextTokens }) };
}

function table(list: readonly Model[]): string {
  const rows = list.map((model) => [
    shownName(model),
    model.name,
    model.aliases.filter((alias) => alias !== shownName(model)).join(", "),
    model.canThink ? "yes" : "",
    model.contextTokens === undefined ? "" : model.contextTokens.toLocaleString("en"),
  ]);
  const head = ["ID", "NAME", "ALIASES", "THINKS", "CONTEXT"];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return [colorsFor(process.stdout).dim(line(head).trimEnd()), ...rows.map((row) => line(row).trimEnd()), ""].join(
    "\n",
  );
}
