import { createHash } from "node:crypto";
import type { ToolDefinition, Turn } from "../../../turn/turn.js";
import { McpServer, type McpServerDeps } from "./mcp-server.js";
import { mayRun, termsFor } from "./named-servers.js";
import { failed, type ToolOutcome } from "./result-content.js";
import { hideSecrets, type McpServerConfig, proxiesWithPassword } from "./server-config.js";

/** How long a request waits for servers to start. Slower servers are available to the next request. */
const WAIT_MS = 10_000;
/** The longest tool name that every dialect accepts. */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/** A tool of a server, under the name by which models know it. */
export interface BridgedTool extends ToolDefinition {
  readonly id: string;
  readonly server: string;
}

export interface ServerReport {
  readonly name: string;
  readonly isConnected: boolean;
  readonly tools: number;
  readonly problem: string | undefined;
}

export interface McpOffer {
  readonly tools: readonly ToolDefinition[];
  readonly warnings: readonly string[];
  has(name: string): boolean;
  /** Never throws: the model gets every failure as a result. */
  run(call: { readonly name: string; readonly input: string }, signal: AbortSignal): Promise<ToolOutcome>;
}

export type McpBridge = ReturnType<typeof createMcpBridge>;

interface BridgeDeps extends Omit<McpServerDeps, "onStderr" | "onProblem" | "onLeftOut"> {
  readonly servers: readonly McpServerConfig[];
  readonly log: { debug(fields: object, message: string): void; warn(fields: object, message: string): void };
}

interface OfferedTool extends BridgedTool {
  readonly runsOn: McpServer;
}

export function createMcpBridge({ servers: configs, log, ...deps }: BridgeDeps) {
  warnOfProxies(configs, deps.env, log);
  const servers = configs.map(
    (config) =>
      new McpServer(config, {
        ...deps,
        onStderr: (text) => log.debug({ server: config.name, text: hideSecrets(text, config) }, "MCP server says"),
        onLeftOut: ({ name: tool, reason }) =>
          log.warn({ server: config.name, tool, reason }, "MCP tool is not offered"),
        onProblem: (reason) => log.warn({ server: config.name, reason }, "MCP server failed"),
      }),
  );
  return {
    get counts() {
      return {
        enabled: servers.length > 0,
        servers: servers.filter(({ isConnected }) => isConnected).length,
        tools: servers.reduce((sum, { tools }) => sum + tools.length, 0),
      };
    },
    get servers(): readonly ServerReport[] {
      return servers.map(reportOn);
    },
    /** Every tool, and the state of the servers. Starts those that are not running, and reports each as soon as it is known. */
    async list(waitMs = WAIT_MS, onServer: (report: ServerReport) => void = () => {}) {
      await Promise.all(servers.map((server) => server.refresh(waitMs).then(() => onServer(reportOn(server)))));
      const tools: readonly BridgedTool[] = toolsOf(servers).map(({ runsOn: _, ...tool }) => tool);
      return { tools, servers: servers.map(reportOn) };
    },
    hasServers: servers.length > 0,
    addresses: configs.flatMap(({ url }) => url ?? []),
    /** The tools to offer, without those whose names the client's tools have, and those that its terms exclude. */
    async offer(turn: Pick<Turn, "tools" | "mcpServers">): Promise<McpOffer> {
      await Promise.all(servers.map((server) => server.refresh(WAIT_MS)));
      return offerOf(servers, turn);
    },
    async close(): Promise<void> {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function reportOn({ config, isConnected, tools, problem }: McpServer): ServerReport {
  return { name: config.name, isConnected, tools: tools.length, problem };
}

function offerOf(servers: readonly McpServer[], turn: Pick<Turn, "tools" | "mcpServers">): McpOffer {
  const taken = new Set(turn.tools.map(({ name }) => name));
  const terms = new Map(servers.map((server) => [server, termsFor(server.config, turn.mcpServers)]));
  const isOffered = ({ id, name, runsOn }: OfferedTool) => !taken.has(id) && mayRun(name, terms.get(runsOn));
  const offered = new Map(toolsOf(servers).flatMap((tool) => (isOffered(tool) ? [[tool.id, tool]] : [])));
  const missing = servers.filter(({ tools, problem }) => tools.length === 0 && problem !== undefined);
  const unusable = servers.flatMap(({ config, leftOut }) =>
    leftOut.map(({ name, reason }) => `The tool ${name} of the MCP server ${config.name} is not offered: ${reason}.`),
  );
  return {
    tools: [...offered.values()].map(({ id, description, inputSchema }) => ({ name: id, description, inputSchema })),
    warnings: [
      ...missing.map(
        ({ config, problem }) => `The tools of the MCP server ${config.name} are not offered: ${problem}.`,
      ),
      ...unusable,
    ],
    has: (name) => offered.has(name),
    async run({ name, input }, signal) {
      const tool = offered.get(name);
      return tool === undefined ? failed(`There is no tool ${name}.`) : tool.runsOn.call(tool.name, input, signal);
    },
  };
}

/** Orders tools by settings and by server, so that names and order are the same every time. */
function toolsOf(servers: readonly McpServer[]): readonly OfferedTool[] {
  const byId = new Map<string, OfferedTool>();
  for (const server of servers) {
    for (const tool of server.tools) {
      const id = toolName(server.config.name, tool.name, (name) => byId.has(name));
      byId.set(id, { ...tool, id, server: server.config.name, runsOn: server });
    }
  }
  return [...byId.values()];
}

/** `mcp__server__tool`. A name that is shortened or taken gets a hash of the whole, so that it is the same at every start. */
export function toolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
  const plain = `mcp__${server}__${tool}`.replace(/[^\w-]/g, "_");
  if (plain.length <= MAX_NAME_LENGTH && !isTaken(plain)) return plain;
  for (let attempt = 0; ; attempt++) {
    const hash = createHash("sha256")
      .update(JSON.stringify([server, tool, attempt]))
      .digest("hex")
      .slice(0, HASH_LENGTH);
    const name = `${plain.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
    if (!isTaken(name)) return name;
  }
}

/** A program that needs such a proxy cannot reach the network. Only the owner can decide to give it the password. */
function warnOfProxies(configs: readonly McpServerConfig[], env: BridgeDeps["env"], log: BridgeDeps["log"]): void {
  const withheld = proxiesWithPassword(env);
  for (const { name, command, env: own } of configs) {
    const missing = command === undefined ? [] : withheld.filter((variable) => !(variable in own));
    if (missing.length > 0) {
      const fix = `name them in its env, as "${missing[0]}": "\${env:${missing[0]}}", if it needs them`;
      log.warn({ server: name, variables: missing, fix }, "MCP server does not get a proxy that has a password in it");
    }
  }
}
