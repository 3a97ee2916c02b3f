import type { BridgedTool, ServerReport } from "@curlew/gateway/core/tools/mcp/index.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { bridgeTo, describedServers } from "../app/open-bridge.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { createLog } from "../log/log.js";
import { LogOutput } from "../log/log-output.js";
import type { CommandMachine } from "../terminal/command-machine.js";
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
  async run({ args, machine }) {
    const { server: only } = args;
    const { settings } = loadFrom(args, machine);
    const log = createLog({
      level: settings.logLevel === "info" ? "error" : settings.logLevel,
      secrets: [],
      stream: new LogOutput(machine.stderr),
    });
    const { servers: described, problems } = describedServers(settings);
    for (const problem of problems) machine.stderr.write(`${problem}\n`);
    const servers = described.filter(({ name }) => only === undefined || name === only);
    if (only !== undefined && servers.length === 0) throw new CommandFailure(1, `There is no MCP server ${only}.`);
    const bridge = bridgeTo(servers, machine, log);
    try {
      const tested = (server: ServerReport): TestedServer => {
        return { ...server, origin: servers.find(({ name }) => name === server.name)?.origin ?? "" };
      };
      const isLive = args.json !== true && machine.stdout.isTTY === true && servers.length > 0;
      const progress = showProgress(machine, shownOn(machine.stdout, servers), isLive);
      const { tools, servers: reports } = await bridge
        .list(WAIT_MS, (server) => progress.tell(shownOn(machine.stdout, tested(server))))
        .finally(progress.end);
      const found = { tools, servers: reports.map(tested) };
      report(machine.stdout, found, args.json, (shown) => describe(machine, shown.tools, shown.servers, isLive));
      return reports.some(({ isConnected }) => !isConnected) ? 1 : 0;
    } finally {
      await bridge.close();
    }
  },
});

const testHead = ["SERVER", "STATE", "TOOLS", "FROM", "PROBLEM"];
const rightColumns = [2];

function showProgress(
  machine: CommandMachine,
  servers: readonly Pick<TestedServer, "name" | "origin">[],
  isLive: boolean,
) {
  const { dim } = colorsFor(machine.stdout, machine.env);
  const widths = columnWidths([testHead, ...servers.map(({ name, origin }) => [name, "failed", "", origin])]);
  let waiting = servers.length;
  const wait = () => {
    const text = waiting === 1 ? "Waiting for 1 server" : `Waiting for ${waiting} servers`;
    return waiting === 0 ? () => {} : startSpinner(machine, text);
  };
  if (isLive) machine.stdout.write(`${dim(alignedLine(testHead, widths, rightColumns))}\n`);
  let stopSpinner = wait();
  return {
    tell(server: TestedServer): void {
      waiting--;
      if (!isLive) return;
      stopSpinner();
      machine.stdout.write(`${alignedLine(testCells(server), widths, rightColumns)}\n`);
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

function describe(
  { stdout, env }: CommandMachine,
  tools: readonly BridgedTool[],
  servers: readonly TestedServer[],
  isLive: boolean,
): string {
  const { dim } = colorsFor(stdout, env);
  if (servers.length === 0) return "There are no MCP servers. Add them to curlew.json, under mcp.servers.\n";
  const states = isLive ? "" : table(testHead, servers.map(testCells), { dim, right: rightColumns });
  if (tools.length === 0) return states;
  const rows = tools.map(({ id, server, description }) => [id, server, oneLine(description, ABOUT_CHARACTERS)]);
  return `${states}\n${table(["TOOL", "SERVER", "ABOUT"], rows, { dim })}`;
}
