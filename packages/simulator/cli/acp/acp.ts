import { setTimeout as delay } from "node:timers/promises";
import { requireModel } from "../checks.js";
import type { Parsed } from "../flags.js";
import { listModels } from "../models.js";
import type { World } from "../world.js";
import { type Handler, INVALID_PARAMS, isObject, Peer, RpcError, textOf } from "./peer.js";
import { Sessions } from "./sessions.js";

const loginMethod = { id: "cursor_login", name: "Cursor Login", description: "Sign in with your Cursor account" };

/** `cursor-agent acp`: serves sessions over standard input and output until the client closes it. */
export async function serveAcp(world: World, parsed: Parsed): Promise<void> {
  const { scenario } = world;
  const sessions = new Sessions(world, parsed, requireModel(world, parsed));
  const handlers = handlersOf(world, sessions);
  for (const method of scenario.hangs) handlers[method] = () => new Promise(() => {});

  const peer = new Peer(world.out, handlers);
  if (scenario.startMs > 0) await delay(scenario.startMs);
  for await (const line of linesOf(world.input)) {
    const message: unknown = JSON.parse(line);
    world.recorder.message(message);
    if (isObject(message)) peer.receive(message);
  }
  await sessions.close();
}

function handlersOf(world: World, sessions: Sessions): Record<string, Handler> {
  return {
    /** Answered before any login. */
    async initialize({ clientCapabilities }) {
      const meta = isObject(clientCapabilities) ? clientCapabilities._meta : undefined;
      sessions.isParameterized = isObject(meta) && meta.parameterizedModelPicker === true;
      return {
        protocolVersion: 1,
        agentCapabilities: {
          loadSession: true,
          mcpCapabilities: { http: true, sse: true },
          promptCapabilities: { audio: false, embeddedContext: false, image: true },
          sessionCapabilities: { list: {} },
        },
        authMethods: [loginMethod],
      };
    },
    async authenticate(params) {
      if (textOf(params, "methodId") !== loginMethod.id)
        throw new RpcError(INVALID_PARAMS, "Unknown authentication method");
      // A key does not count: without a stored login the CLI opens a browser and waits.
      if (world.scenario.loggedIn) return {};
      await delay(world.scenario.authenticateMs);
      throw new RpcError(INVALID_PARAMS, "Login failed or timed out. Please try again.");
    },
    async "session/new"(params, peer) {
      const sessionId = world.newId();
      const session = await sessions.open(sessionId, params, peer);
      session.update({ sessionUpdate: "available_commands_update", availableCommands: [] });
      return { sessionId, ...session.settings.show() };
    },
    async "session/load"(params, peer) {
      await sessions.load(params, peer);
      return null;
    },
    "session/list": async () => ({ sessions: sessions.list() }),
    "session/prompt": async (params) => sessions.find(params).prompt(params),
    "session/cancel": async (params) => sessions.find(params).cancel(),
    async "session/set_mode"(params) {
      const session = sessions.find(params);
      session.settings.setMode(textOf(params, "modeId"));
      session.update({ sessionUpdate: "current_mode_update", currentModeId: textOf(params, "modeId") });
      return {};
    },
    async "session/set_model"(params) {
      sessions.find(params).settings.setModel(textOf(params, "modelId"));
      return {};
    },
    async "session/set_config_option"(params) {
      const { settings } = sessions.find(params);
      settings.setOption(textOf(params, "configId"), textOf(params, "value"));
      return { configOptions: settings.options() };
    },
    async "cursor/list_available_models"() {
      return { models: listModels(world.scenario.models).map(({ bracketed, name }) => ({ value: bracketed, name })) };
    },
  };
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
