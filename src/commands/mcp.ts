import { bridgeTo, describedServers } from "../app/open-bridge.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import { createLog } from "../ops/log.js";
import { shownOn } from "../shown-on.js";
import type { BridgedTool, ServerReport } from "../tools/mcp/index.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { type CommandGroup, type ParsedArgs, subCommand } from "./line/definition.js";
import { table } from "./terminal/table.js";

/** A launcher may have to download a server first. */
const WAIT_MS = 60_000;
const ABOUT_CHARACTERS = 70;
const mcpFlags = ["logLevel"] as const;

interface Found {
  readonly tools: readonly BridgedTool[];
  readonly servers: readonly (ServerReport & { readonly origin: string })[];
}

const args = {
  server: { type: "positional", description: "The name of one server" },
  json: { type: "boolean", description: "Print JSON" },
  ...settingArgs(mcpFlags),
} as const;

export const mcp: CommandGroup = {
  examples: [
    ["curlew mcp", "list the tools of all servers"],
    ["curlew mcp test github", "check one server"],
  ],
  usual: "list",
  subCommands: {
    list: subCommand("List the tools of every server", {
      examples: [["curlew mcp list github", ""]],
      args,
      run: (line) => show("list", line.args),
    }),
    test: subCommand("Check whether the servers start and answer", {
      examples: [
        ["curlew mcp test", ""],
        ["curlew mcp test github --json", ""],
      ],
      args,
      run: (line) => show("test", line.args),
    }),
  },
};

async function show(action: "list" | "test", given: ParsedArgs<typeof args>): Promise<number> {
  const { server: only } = given;
  const { settings } = loadFrom(given, mcpFlags);
  const log = createLog({ level: settings.logLevel === "info" ? "error" : settings.logLevel, secrets: [] });
  const { servers: described, problems } = describedServers(settings);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const servers = described.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && servers.length === 0) throw new CommandFailure(1, `There is no MCP server ${only}.`);
  const bridge = bridgeTo(servers, log);
  try {
    const { tools, servers: reports } = await bridge.list(WAIT_MS);
    const originOf = (name: string) => servers.find((server) => server.name === name)?.origin ?? "";
    const all = { tools, servers: reports.map((report) => ({ ...report, origin: originOf(report.name) })) };
    const found = shownOn(process.stdout, all);
    process.stdout.write(given.json ? `${JSON.stringify(found, null, 2)}\n` : describe(action, found));
    return reports.some(({ isConnected }) => !isConnected) ? 1 : 0;
  } finally {
    await bridge.close();
  }
}

function describe(action: "list" | "test", { tools, servers }: Found): string {
  const { dim } = colorsFor(process.stdout);
  if (servers.length === 0) return "There are no MCP servers. They are named in curlew.json, under mcp.servers.\n";
  const failing = servers.filter(({ isConnected }) => !isConnected);
  if (action === "list") {
    const rows = tools.map(({ id, server, description }) => [id, server, oneLine(description)]);
    const lost = failing.map(({ name, problem }) => `${name} is not there: ${problem}.\n`);
    return `${table(["TOOL", "SERVER", "ABOUT"], rows, { dim })}${lost.join("")}`;
  }
  const rows = servers.map(({ name, isConnected, tools: count, problem, origin }) => [
    name,
    isConnected ? "ok" : "failed",
    String(count),
    origin,
    problem ?? "",
  ]);
  return table(["SERVER", "STATE", "TOOLS", "FROM", "PROBLEM"], rows, { dim, right: [2] });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > ABOUT_CHARACTERS ? `${line.slice(0, ABOUT_CHARACTERS - 1)}…` : line;
}
