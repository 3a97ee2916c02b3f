import { isAbsolute } from "node:path";
import type { Entry } from "../../model/transcript.js";
import { type Chats, openChats } from "../chats.js";
import { findCredential } from "../checks.js";
import type { Parsed } from "../flags.js";
import { connectServers } from "../mcp/hub.js";
import { approvedServers, type McpServer, projectServers, type ServerConfig } from "../mcp/servers.js";
import { type ListedModel, listModels } from "../models.js";
import { openWorkspace } from "../workspace.js";
import type { World } from "../world.js";
import { AUTH_REQUIRED, INVALID_PARAMS, objectsOf, type Params, type Peer, RpcError, textOf } from "./peer.js";
import { Session } from "./session.js";
import { Settings } from "./settings.js";

/** The sessions of one process. */
export class Sessions {
  /** Whether the client said in `initialize` that it can show parameters. */
  isParameterized = false;
  readonly #world: World;
  readonly #parsed: Parsed;
  readonly #model: ListedModel;
  readonly #chats: Chats;
  readonly #open = new Map<string, Session>();

  constructor(world: World, parsed: Parsed, model: ListedModel) {
    this.#world = world;
    this.#parsed = parsed;
    this.#model = model;
    this.#chats = openChats(world.env);
  }

  list(): object[] {
    return this.#chats.ids().map((sessionId) => ({ sessionId, cwd: this.#world.cwd }));
  }

  find(params: Params): Session {
    const id = textOf(params, "sessionId");
    const session = this.#open.get(id);
    if (session === undefined) throw notFound(id);
    return session;
  }

  /** Loads a session that an earlier process stored, with its whole conversation. */
  async load(params: Params, peer: Peer): Promise<void> {
    const id = textOf(params, "sessionId");
    const entries = this.#world.scenario.loadFails ? undefined : this.#chats.read(id);
    if (entries === undefined) throw notFound(id);
    (await this.open(id, params, peer, entries)).replay();
  }

  async open(id: string, params: Params, peer: Peer, entries: readonly Entry[] = []): Promise<Session> {
    const { scenario, err } = this.#world;
    if (findCredential(this.#world, this.#parsed) === undefined) {
      const advice = "Please run agent login first, then call authenticate() with cursor_login.";
      throw new RpcError(AUTH_REQUIRED, `Authentication required. ${advice}`);
    }
    const cwd = textOf(params, "cwd");
    if (!isAbsolute(cwd)) throw new RpcError(INVALID_PARAMS, "cwd must be an absolute path");
    const workspace = openWorkspace(cwd, this.#world);
    const offered = [...projectServers(workspace), ...(scenario.mcpIgnored ? [] : readServers(params))];
    // No flag approves servers here: `--approve-mcps` is for print mode.
    const servers = approvedServers(offered, workspace, scenario.mcpApprovals);
    const hub = await connectServers(servers, scenario.mcpTimeoutMs, (name, cause) => {
      err(`MCP server ${name} failed: ${cause instanceof Error ? cause.message : cause}\n`);
    });
    const has = (name: string) => this.#parsed.options.has(name);
    const mode = has("--plan") ? "plan" : "agent";
    const session = new Session({
      id,
      world: this.#world,
      peer,
      workspace,
      hub,
      settings: new Settings(listModels(scenario.models), this.#model, mode, this.isParameterized),
      isForced: has("--force") || has("--yolo"),
      entries,
      store: (all) => this.#chats.write(id, all),
    });
    this.#open.set(id, session);
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }
}

function notFound(id: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Session "${id}" not found`);
}

/** The servers of `session/new` in the form that approval keys hash. */
function readServers(params: Params): McpServer[] {
  return objectsOf(params, "mcpServers").map((server) => ({ name: textOf(server, "name"), config: toConfig(server) }));
}

function toConfig(server: Params): ServerConfig {
  if (typeof server.url === "string") {
    const headers = toObject(objectsOf(server, "headers"));
    return { url: server.url, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
  }
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  return { command: textOf(server, "command"), args, env: toObject(objectsOf(server, "env")) };
}

function toObject(pairs: readonly Params[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => [textOf(pair, "name"), textOf(pair, "value")]));
}
