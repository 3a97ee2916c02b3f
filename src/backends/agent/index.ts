import type { TokenSource } from "../../auth/token.js";
import type { Clock } from "../../clock.js";
import { AiService } from "../../gen/aiserver_v1_pb.js";
import type { Network } from "../../network/index.js";
import type { Backend } from "../backend.js";
import type { BackendParts } from "../backend-parts.js";
import { identityHeaders } from "../cursor/identity.js";
import { listModels } from "../cursor/models.js";
import { listRestModels } from "../cursor/rest-models.js";
import { signedCalls } from "../cursor/signed-calls.js";
import { Drift, type DriftKind } from "./answers/drift.js";
import { Http1Road } from "./transport/http1-road.js";
import { Http2Pool } from "./transport/http2-pool.js";
import { openRun } from "./transport/open-run.js";
import { ServerFactSource, type ServerFacts } from "./transport/server-facts.js";
import { TransportChoice, type TransportSetting, type TransportState } from "./transport/transport-choice.js";
import { AgentExchange, type AgentLimits, type ExchangeDeps } from "./turn/exchange.js";

const TICK_MS = 1_000;

/** What differs from account to account. */
export interface AgentAccount {
  readonly tokens: TokenSource;
  /** The account's own key, if that is its credential: one list of models takes nothing else. */
  readonly apiKey?: string | undefined;
}

export interface AgentRoadDeps {
  /** Where account and catalogue calls go. */
  readonly backendUrl: string;
  /** Where runs go, if the owner says so; else Cursor does. */
  readonly agentUrl?: string | undefined;
  /** What we say that we are: `cli-<date>-<hash>` or `sdk-<version>`. */
  readonly clientVersion: string;
  /** Over which HTTP version runs go. */
  readonly transport: TransportSetting;
  readonly network: Network;
  readonly limits: AgentLimits;
  readonly mapsNativeTools: boolean;
  readonly fingerprint: ExchangeDeps["fingerprint"];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: ExchangeDeps["log"];
}

export interface AgentBackend extends Backend {
  /** What the server said that this build does not know. */
  readonly drift: Readonly<Record<DriftKind, number>>;
  /** What is known of server and account, without asking; the strictest while nothing is. */
  readonly serverFacts: ServerFacts;
  readonly transport: TransportState;
  /** Asks for it unless it is known. */
  readServerFacts(signal: AbortSignal): Promise<ServerFacts>;
}

export type AgentBackendDeps = AgentRoadDeps & AgentAccount;

/** Sockets and timers for all accounts; each account has a backend of its own on them. */
export interface AgentRoad {
  /** Nothing needs to be closed when it is forgotten. Its own `close` closes the road for all. */
  backendOf(account: AgentAccount): AgentBackend;
}

/** Cursor's agent service, spoken to directly. */
export function createAgentRoad(deps: AgentRoadDeps): AgentRoad {
  const { clock, network, transport, log } = deps;
  const pool = new Http2Pool(clock, network);
  const http1 = new Http1Road(network);
  const drift = new Drift();
  const open = new Set<AgentExchange>();
  let lastTickMs = clock.now();
  const stopTicking = clock.every(TICK_MS, () => {
    const nowMs = clock.now();
    const isLate = nowMs - lastTickMs > 1.5 * TICK_MS;
    lastTickMs = nowMs;
    for (const exchange of open) exchange.tick(nowMs, isLate);
  });
  const shared: Shared = {
    pool,
    http1,
    transports: new TransportChoice({ setting: transport, clock, log }),
    drift,
    open,
    close() {
      stopTicking();
      for (const exchange of open) exchange.close("shutdown");
      pool.close();
      http1.close();
    },
  };
  return { backendOf: (account) => backendOf({ ...deps, ...account }, shared) };
}

interface Shared {
  readonly pool: Http2Pool;
  readonly http1: Http1Road;
  readonly transports: TransportChoice;
  readonly drift: Drift;
  /** Exchanges of all accounts, for the one clock that ticks for them. */
  readonly open: Set<AgentExchange>;
  close(): void;
}

function backendOf(deps: AgentBackendDeps, shared: Shared): AgentBackend {
  const { tokens, backendUrl, agentUrl, clientVersion, clock, network } = deps;
  const { drift, open, transports, close } = shared;
  const facts = new ServerFactSource({ backendUrl, agentUrl, clock, network });
  const identityOf = ({ ghostMode }: ServerFacts) => ({ version: clientVersion, ghostMode });
  const runDeps = { ...shared, tokens, backendUrl, agentUrl, clock, facts, identityOf };
  const exchangeDeps: ExchangeDeps = {
    ...deps,
    drift,
    openRun: (opening, sink) => openRun(opening, sink, runDeps),
    goesAround: (error) => transports.goesAround(error),
  };
  const headers = () => identityHeaders(identityOf(facts.known));
  const calls = signedCalls({ backendUrl, network, tokens, headers });
  const { apiKey } = deps;
  const restModels =
    apiKey === undefined
      ? undefined
      : (signal: AbortSignal) => listRestModels({ backendUrl, apiKey, headers: headers(), network }, signal);
  return {
    name: "agent",
    can: { tools: true, images: true },
    drift: drift.counts,
    get serverFacts() {
      return facts.known;
    },
    get transport() {
      return transports.state;
    },
    readServerFacts: async (signal) => facts.get(await tokens.get(signal)),
    models: (signal) => listModels({ calls, restModels }, signal),
    nameConversation: async (userMessage, signal) =>
      (await calls.call(AiService.method.nameAgent, { userMessage }, signal)).name,
    start(turn, context) {
      const exchange = new AgentExchange(turn, context, exchangeDeps);
      open.add(exchange);
      exchange.onOver(() => open.delete(exchange));
      return exchange;
    },
    close,
  };
}

interface AgentSettings {
  readonly backendUrl: string;
  readonly agentUrl: string | undefined;
  readonly transport: TransportSetting;
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  readonly stallMs: number;
  readonly retries: number;
  readonly quietMs: number;
  readonly mapNativeTools: boolean;
}

export function open(parts: BackendParts<AgentSettings>): AgentRoad["backendOf"] {
  const { settings, clientVersions, network, fingerprint, clock, log } = parts;
  const { backendOf } = createAgentRoad({
    backendUrl: settings.backendUrl,
    agentUrl: settings.agentUrl,
    clientVersion: clientVersions.agent,
    transport: settings.transport,
    network,
    limits: {
      heartbeatMs: settings.heartbeatMs,
      silenceMs: settings.silenceMs,
      noProgressMs: settings.stallMs,
      maxRetries: settings.retries,
      quietMs: settings.quietMs,
    },
    mapsNativeTools: settings.mapNativeTools,
    fingerprint,
    clock,
    random: Math.random,
    log,
  });
  return backendOf;
}
