import type { BridgedTool, ServerReport } from "@curlew/gateway/core/tools/mcp/index.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { bridgeTo, describedServers } from "../app/open-bridge.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { createLog } from "../log/log.js";
import { CommandFailure, colorsFor, report } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { alignedLine, columnWidths, oneLine, table } from "../terminal/table.js";
import { defineCommand, flag, word } from "./line/definition.js";

/** A launcher may have to download a server first. */
const WAIT_MS = 60_000;
const ABOUT_CHARACTERS = 70;
type TestedServer = ServerReport & { readonly origin: string };

export const mcp = defineCommand({
  examples: [
    ["curlew mcp", "check all servers, and list their tools"],
    ["curlew mcp github --json", "one server, for scripts"],
  ],
  args: {
    server: word("The name of one server"),
    json: flag("Print JSON"),
    ...settingArgs(["logLevel"]),
  },
  async run({ args }) {
    const { server: only } = args;
    const { settings } = loadFrom(args);
    const log = createLog({ level: settings.logLevel === "info" ? "error" : settings.logLevel, secrets: [] });
    const { servers: described, problems } = describedServers(settings);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    const servers = described.filter(({ name }) => only === undefined || name === only);
    if (only !== undefined && servers.length === 0) throw new CommandFailure(1, `There is no MCP server ${only}.`);
    const bridge = bridgeTo(servers, log);
    try {
      const tested = (server: ServerReport): TestedServer => {
        return { ...server, origin: servers.find(({ name }) => name === server.name)?.origin ?? "" };
      };
      const isLive = args.json !== true && process.stdout.isTTY === true && servers.length > 0;
      const progress = showProgress(shownOn(process.stdout, servers), isLive);
      const { tools, servers: reports } = await bridge
        .list(WAIT_MS, (server) => progress.tell(shownOn(process.stdout, tested(server))))
        .finally(progress.end);
      const found = { tools, servers: reports.map(tested) };
      report(found, args.json, (shown) => describe(shown.tools, shown.servers, isLive));
      return reports.some(({ isConnected }) => !isConnected) ? 1 : 0;
    } finally {
      await bridge.close();
    }
  },
});

const testHead = ["SERVER", "STATE", "TOOLS", "FROM", "PROBLEM"];
const rightColumns = [2];

function showProgress(servers: readonly Pick<TestedServer, "name" | "origin">[], isLive: boolean) {
  const { dim } = colorsFor(process.stdout);
  const widths = columnWidths([testHead, ...servers.map(({ name, origin }) => [name, "failed", "", origin])]);
  let waiting = servers.length;
  const wait = () => {
    const text = waiting === 1 ? "Waiting for 1 server" : `Waiting for ${waiting} servers`;
    return waiting === 0 ? () => {} : startSpinner(text);
  };
  if (isLive) process.stdout.write(`${dim(alignedLine(testHead, widths, rightColumns))}\n`);
  let stopSpinner = wait();
  return {
    tell(server: TestedServer): void {
      waiting--;
      if (!isLive) return;
      stopSpinner();
      process.stdout.write(`${alignedLine(testCells(server), widths, rightColumns)}\n`);
      stopSpinner = wait();
    },
    end(): void {
      stopSpinner();
    },
  };
}

function testCells({ name, isConnected, tools, origin, problem }: TestedServer): string[] {
  return [name, isConnected ? "ok" : "failed", String(tools), origin, problem ?? ""];
}

function describe(tools: readonly BridgedTool[], servers: readonly TestedServer[], isLive: boolean): string {
  const { dim } = colorsFor(process.stdout);
  if (servers.length === 0) return "There are no MCP servers. Add them to curlew.json, under mcp.servers.\n";
  const states = isLive ? "" : table(testHead, servers.map(testCells), { dim, right: rightColumns });
  if (tools.length === 0) return states;
  const rows = tools.map(({ id, server, description }) => [id, server, oneLine(description, ABOUT_CHARACTERS)]);
  return `${states}\n${table(["TOOL", "SERVER", "ABOUT"], rows, { dim })}`;
}
