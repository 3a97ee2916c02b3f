import { isAbsolute } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Entry } from "../../agent/transcript.js";
import { openChats } from "../chats.js";
import { findCredential, requireModel } from "../checks.js";
import type { Parsed } from "../flags.js";
import { connectServers } from "../mcp/hub.js";
import { approvedServers, projectServers } from "../mcp/servers.js";
import { listModels } from "../models.js";
import { openWorkspace } from "../workspace.js";
import type { World } from "../world.js";
import { AUTH_REQUIRED, type Handler, INVALID_PARAMS, isObject, type Params, Peer, RpcError, textOf } from "./peer.js";
import { Session } from "./session.js";
import { readServers } from "./session-servers.js";
import { Settings } from "./settings.js";

const LOGIN = { id: "cursor_login", name: "Cursor Login", description: "Sign in with your Cursor account" };

/** `cursor-agent acp`: sessions over standard input and output until the client closes it. */
export async function serveAcp(world: World, parsed: Parsed): Promise<void> {
  const { scenario } = world;
  const model = requireModel(world, parsed);
  const models = listModels(scenario.models);
  const chats = openChats(world.env);
  const sessions = new Map<string, Session>();
  let isParameterized = false;

  const open = async (id: string, params: Params, entries: readonly Entry[]): Promise<Session> => {
    if (findCredential(world, parsed) === undefined) {
      const advice = "Please run agent login first, then call authenticate() with cursor_login.";
      throw new RpcError(AUTH_REQUIRED, `Authentication required. ${advice}`);
    }
    const cwd = textOf(params, "cwd");
    if (!isAbsolute(cwd)) throw new RpcError(INVALID_PARAMS, "cwd must be an absolute path");
    const workspace = openWorkspace(cwd, world);
    const offered = [...projectServers(workspace), ...(scenario.mcpIgnored ? [] : readServers(params))];
    // No flag opens this gate here: `--approve-mcps` is for print mode.
    const servers = approvedServers(offered, workspace, scenario.mcpApprovals);
    const hub = await connectServers(servers, scenario.mcpTimeoutMs, (name, cause) => {
      world.err(`MCP server ${name} failed: ${cause instanceof Error ? cause.message : cause}\n`);
    });
    const session = new Session({
      id,
      world,
      peer,
      workspace,
      hub,
      settings: new Settings(models, model, parsed.options.has("--plan") ? "plan" : "agent", isParameterized),
      isForced: parsed.options.has("--force") || parsed.options.has("--yolo"),
      entries,
      store: (all) => chats.write(id, all),
    });
    sessions.set(id, session);
    return session;
  };
  const find = (params: Params): Session => {
    const id = textOf(params, "sessionId");
    const session = sessions.get(id);
    if (session === undefined) throw new RpcError(INVALID_PARAMS, `Session "${id}" not found`);
    return session;
  };

  const handlers: Record<string, Handler> = {
    async initialize({ clientCapabilities }) {
      const meta = isObject(clientCapabilities) ? clientCapabilities._meta : undefined;
      isParameterized = isObject(meta) && meta.parameterizedModelPicker === true;
      return {
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: true,
          mcpCapabilities: { http: true, sse: true },
          promptCapabilities: { audio: false, embeddedContext: false, image: true },
          sessionCapabilities: { list: {} },
        },
        authMethods: [LOGIN],
      };
    },
    async authenticate(params) {
      if (textOf(params, "methodId") !== LOGIN.id) throw new RpcError(INVALID_PARAMS, "Unknown authentication method");
      // A key does not count: without a stored login a browser opens, and somebody has to use it.
      if (scenario.loggedIn) return {};
      await delay(scenario.authenticateMs);
      throw new RpcError(INVALID_PARAMS, "Login failed or timed out. Please try again.");
    },
    async "session/new"(params) {
      const sessionId = world.newId();
      const session = await open(sessionId, params, []);
      session.update({ sessionUpdate: "available_commands_update", availableCommands: [] });
      return { sessionId, ...session.settings.show() };
    },
    async "session/load"(params) {
      const id = textOf(params, "sessionId");
      const entries = scenario.loadFails ? undefined : chats.read(id);
      if (entries === undefined) throw new RpcError(INVALID_PARAMS, `Session "${id}" not found`);
      (await open(id, params, entries)).replay();
      return null;
    },
    "session/list": async () => ({ sessions: chats.ids().map((sessionId) => ({ sessionId, cwd: world.cwd })) }),
    "session/prompt": async (params) => find(params).prompt(params),
    "session/cancel": async (params) => find(params).cancel(),
    async "session/set_mode"(params) {
      const session = find(params);
      session.settings.setMode(textOf(params, "modeId"));
      session.update({ sessionUpdate: "current_mode_update", currentModeId: textOf(params, "modeId") });
      return {};
    },
    async "session/set_model"(params) {
      find(params).settings.setModel(textOf(params, "modelId"));
      return {};
    },
    async "session/set_config_option"(params) {
      const { settings } = find(params);
      settings.setOption(textOf(params, "configId"), textOf(params, "value"));
      return { configOptions: settings.options() };
    },
    "cursor/list_available_models": async () => ({
      models: models.map(({ bracketed, name }) => ({ value: bracketed, name })),
    }),
  };
  for (const method of scenario.hangs) handlers[method] = () => new Promise(() => {});

  const peer = new Peer(world.out, handlers);
  if (scenario.startMs > 0) await delay(scenario.startMs);
  for await (const line of linesOf(world.input)) {
    const message: unknown = JSON.parse(line);
    world.recorder.message(message);
    if (isObject(message)) peer.receive(message);
  }
  await Promise.all([...sessions.values()].map((session) => session.close()));
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const [end = "", ...begun] = decoder.decode(chunk, { stream: true }).split("\n");
    rest += end;
    for (const next of begun) {
      if (rest.trim() !== "") yield rest;
      rest = next;
    }
  }
}
