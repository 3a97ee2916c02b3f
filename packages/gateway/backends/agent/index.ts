import { AiService } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { Backend } from "../backend.js";
import type { BackendAccount, BackendParts } from "../backend-parts.js";
import { identityHeaders } from "../cursor/identity.js";
import { listModels, listRestModels } from "../cursor/models.js";
import { signedCalls } from "../cursor/signed-calls.js";
import { type CursorProfile, familyRules } from "../profile/index.js";
import { type Drift, noDrift } from "./answers/questions.js";
import { Http2Pool } from "./transport/http2-pool.js";
import { createRunOpener } from "./transport/open-run.js";
import { type ServerConfig, ServerConfigSource } from "./transport/server-config.js";
import { Http1Pool } from "./transport/sse-run.js";
import { TransportChoice, type TransportSetting, type TransportState } from "./transport/transport-choice.js";
import { AgentExchange, type ExchangeDeps, type TurnSettings } from "./turn/exchange.js";

export { decodeMessage } from "./turn/decode.js";

const TICK_MS = 1_000;

interface AgentSettings extends TurnSettings {
  readonly backendUrl: string;
  /** The origin for runs, if set; otherwise Cursor's server config names it. */
  readonly agentUrl: string | undefined;
  readonly transport: TransportSetting;
  readonly profile: CursorProfile;
}

export interface AgentParts extends Omit<BackendParts<AgentSettings>, "machine"> {
  readonly random?: () => number;
}

export interface AgentBackend extends Backend {
  readonly drift: Readonly<Drift>;
  /** The server config as known now, without a request; the strictest values until it is known. */
  readonly serverConfig: ServerConfig;
  readonly transport: TransportState;
  readServerConfig(signal: AbortSignal): Promise<ServerConfig>;
}

/** Speaks to Cursor's agent service directly. All accounts share its sockets and timers, which end with any account's backend. */
export function open(parts: AgentParts): (account: BackendAccount) => AgentBackend {
  const shared = openForAll(parts);
  return (account) => backendOf(account, parts, shared);
}

function openForAll({ settings, clock, network, log }: AgentParts) {
  const pool = new Http2Pool(clock, network);
  const http1 = new Http1Pool(network);
  const drift = noDrift();
  // The exchanges of all accounts, because one timer ticks for all of them.
  const exchanges = new Set<AgentExchange>();
  let lastTickMs = clock.now();
  const stopTicking = clock.every(TICK_MS, () => {
    const nowMs = clock.now();
    const isLate = nowMs - lastTickMs > 1.5 * TICK_MS;
    lastTickMs = nowMs;
    for (const exchange of exchanges) exchange.tick(nowMs, isLate);
  });
  return {
    pool,
    http1,
    transports: new TransportChoice({ setting: settings.transport, clock, log }),
    drift,
    exchanges,
    rulesOf: familyRules(settings.profile),
    close() {
      stopTicking();
      for (const exchange of exchanges) exchange.close("shutdown");
      pool.close();
      http1.close();
    },
  };
}

type Shared = ReturnType<typeof openForAll>;

function backendOf({ tokens, apiKey }: BackendAccount, parts: AgentParts, shared: Shared): AgentBackend {
  const { settings, clients, clock, network, recorder, random = Math.random } = parts;
  const { backendUrl, agentUrl, profile, webTools: webSearch } = settings;
  const { hosts } = profile;
  const takesLeftIds = profile.conversations.idAfterOpenCall === "same";
  const client = clients.agent;
  const { drift, exchanges, transports, rulesOf, close } = shared;
  const serverConfig = new ServerConfigSource({ backendUrl, agentUrl, hosts, client, clock, network });
  const identityOf = ({ ghostMode }: ServerConfig) => {
    const { version, userAgent } = client;
    return { version, userAgent, ghostMode };
  };
  const runs = createRunOpener({ ...shared, tokens, backendUrl, agentUrl, clock, serverConfig, identityOf, recorder });
  const exchangeDeps: ExchangeDeps = {
    ...parts,
    client,
    tokens,
    random,
    drift,
    rulesOf,
    takesLeftIds,
    runs,
    goesAround: (error) => transports.goesAround(error),
  };
  const headers = () => identityHeaders(identityOf(serverConfig.known));
  const calls = signedCalls({ backendUrl, client, network, tokens, headers });
  // The REST list of models takes only an API key.
  const restModels =
    apiKey === undefined
      ? undefined
      : (signal: AbortSignal) => listRestModels({ backendUrl, hosts, apiKey, headers: headers(), network }, signal);
  return {
    name: "agent",
    // A state can probably be resumed with other rules and tools (docs/protocol/wire.md, not proven).
    can: { tools: true, images: true, takesNewSettings: true, takesLeftIds, startsWithoutWords: true, webSearch },
    drift,
    get serverConfig() {
      return serverConfig.known;
    },
    get transport() {
      return transports.state;
    },
    readServerConfig: async (signal) => serverConfig.get(await tokens.get(signal)),
    models: (signal) => listModels({ calls, restModels }, signal),
    nameConversation: async (userMessage, signal) =>
      (await calls.call(AiService.method.nameAgent, { userMessage }, signal)).name,
    start(turn, context) {
      const exchange = new AgentExchange(turn, context, exchangeDeps);
      exchanges.add(exchange);
      exchange.onOver(() => exchanges.delete(exchange));
      return exchange;
    },
    close,
  };
}
