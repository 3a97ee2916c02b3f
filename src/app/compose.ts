import { randomBytes } from "node:crypto";
import { createAttachments } from "../attachments/index.js";
import { callerAccounts } from "../auth/caller-accounts.js";
import { callerCredential } from "../auth/caller-credential.js";
import { type FoundCredential, secretsOf } from "../auth/credential.js";
import { type TokenSource, tokensFrom } from "../auth/token.js";
import type { AgentBackend } from "../backends/agent/index.js";
import type { Backend, BackendName } from "../backends/backend.js";
import { backendsIn, Roads, type Routing } from "../backends/choose/index.js";
import { systemClock } from "../clock.js";
import { agentVersion, desktopVersion } from "../config/client-version.js";
import type { Settings } from "../config/settings.js";
import { type Account, type Books, createGateway, type Gateway, type Road as OpenedRoad } from "../gateway/index.js";
import { createCatalogue, modelFile } from "../models/index.js";
import { createNetwork, type Network } from "../network/index.js";
import { createHealth, type HealthFacts } from "../ops/health.js";
import { createLog, type Log } from "../ops/log.js";
import { LogOutput } from "../ops/log-output.js";
import { UsageLedger } from "../ops/usage-ledger.js";
import { createMemoryStore, openStore, type Store } from "../store/index.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { version } from "../version.js";
import { openBridge } from "./open-bridge.js";
import { ownTokens } from "./own-tokens.js";
import { openAgent } from "./roads/agent.js";
import { loadRoads, type OpenRoad } from "./roads/load-roads.js";
import { modelsFile, usageFolder } from "./start/own-files.js";
import type { Road } from "./start/road.js";

const DAY_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 60_000;
/** Callers with a credential of their own that are remembered, and for how long after their last request. */
const MAX_CALLERS = 1_000;
const CALLER_AGE_MS = 60 * 60_000;

/** A gateway that is ready for turns, and what there is to know about it. */
export interface ComposedGateway {
  readonly gateway: Gateway;
  readonly log: Log;
  readonly tokens: TokenSource;
  /** For requests that bring their own credential, in the mode that lets them. */
  readonly accountOfCredential: ((credential: string) => Account) | undefined;
  readonly health: () => HealthFacts;
  /** Whether Cursor takes the login of the usual backend; one that keeps its own is asked. */
  readonly checkLogin: () => Promise<HealthFacts["auth"]>;
  /** Tools that the gateway runs itself. */
  readonly bridge: McpBridge;
  /** What to call the backend to people: the simulator is one to them, though the code beneath is the agent's. */
  readonly backend: Road["backend"];
  /** Where Cursor is, and what it is told of us. */
  readonly upstream: Readonly<Record<"backendUrl" | "agentUrl" | "clientVersion", string>>;
  /** How it is reached: directly or through a proxy. */
  readonly network: Network;
  /** What Cursor says about itself and about the account, asked for if it is not known yet. */
  readonly serverFacts: AgentBackend["readServerFacts"];
  /** Ends every open turn with a clean error. */
  close(): Promise<void>;
}

/** The one place where the parts are put together, for every command and for embedding. */
export async function composeGateway(settings: Settings, road: Road): Promise<ComposedGateway> {
  if (road.backend === "simulator") {
    const { startSimulator } = await import("../../simulator/index.js");
    const simulator = await startSimulator({ fallback: road.isFallback });
    const credential = simulatedCredential();
    const composed = compose({
      settings: { ...settings, backendUrl: simulator.url, agentUrl: undefined },
      road,
      routing: { usual: "agent", routes: {}, fallback: [] },
      others: new Map(),
      credential,
      store: createMemoryStore({ now: Date.now }),
      ...createSettingsLog(settings, credential),
    });
    return {
      ...composed,
      async close() {
        await composed.close();
        await simulator.close();
      },
    };
  }
  const { credential, backend: usual } = road;
  const routing = { usual, routes: settings.routes, fallback: settings.fallback };
  const others = await loadRoads(backendsIn(routing));
  const { log, logOutput } = createSettingsLog(settings, credential);
  const { stateFolder, stateMaxBytes, stateMaxDays } = settings;
  const { store, warnings } = await openStore({
    folder: stateFolder ?? "state",
    maxBytes: stateMaxBytes,
    maxAgeMs: stateMaxDays * DAY_MS,
    now: Date.now,
    onProblem: (problem) => log.warn({ err: problem }, "conversation state"),
  });
  for (const warning of warnings) log.warn({ warning }, "conversation state");
  const ledger = new UsageLedger({
    folder: usageFolder(settings),
    clock: systemClock,
    onProblem: (problem) => log.warn({ err: problem }, "usage ledger"),
  });
  const composed = compose({ settings, road, routing, others, credential, store, log, logOutput, books: ledger });
  return {
    ...composed,
    async close() {
      await composed.close();
      ledger.close();
    },
  };
}

function createSettingsLog(
  { logLevel, apiKey, authToken, key }: Settings,
  { credential }: FoundCredential,
): Pick<Parts, "log" | "logOutput"> {
  const logOutput = new LogOutput();
  const secrets = [apiKey, authToken, key, ...secretsOf(credential)];
  return { log: createLog({ level: logLevel, secrets, stream: logOutput }), logOutput };
}

interface Parts {
  readonly settings: Settings;
  readonly road: Road;
  readonly routing: Routing;
  /** How the backends beside the agent's are made. */
  readonly others: ReadonlyMap<BackendName, OpenRoad>;
  readonly credential: FoundCredential;
  readonly store: Store;
  readonly log: Log;
  readonly logOutput: LogOutput;
  readonly books?: Books;
}

function compose({
  settings,
  road,
  routing,
  others,
  credential,
  store,
  log,
  logOutput,
  books,
}: Parts): ComposedGateway {
  const { backendUrl } = settings;
  if (desktopVersion(settings.clientVersion) !== undefined && !backendsIn(routing).includes("chat")) {
    const warning = `The agent's calls take no version of the desktop app; they go on as ${agentVersion(settings.clientVersion)}.`;
    log.warn({ clientVersion: settings.clientVersion, warning }, "client version");
  }
  const network = createNetwork(settings);
  const tokens = ownTokens(settings, credential, { network, log });
  const agent = openAgent({ settings, network, log });
  const backend = agent.backendOf({ tokens, apiKey: apiKeyOf(credential) });
  const preferences = { aliases: settings.modelAliases, prefersMax: settings.maxMode };
  const onModels = (problem: unknown) => log.warn({ err: problem }, "list of models not kept");
  const catalogueOf = (each: Backend) =>
    createCatalogue({
      fetchModels: (signal) => each.models(signal),
      // The built-in simulator is another one at each start.
      ...(road.backend !== "simulator" && {
        shelf: modelFile({
          path: modelsFile(settings, each.name),
          account: tokens.account,
          backendUrl,
          onProblem: onModels,
        }),
      }),
      preferences,
    });
  const roads = new Roads<OpenedRoad>({
    routing,
    open(name) {
      const opened = others.get(name)?.({ settings, credential, tokens, network, log }) ?? backend;
      return { backend: opened, catalogue: catalogueOf(opened) };
    },
    now: Date.now,
  });
  const openCaller = (text: string): Account => {
    const found = callerCredential(text);
    const theirs = tokensFrom(found, { backendUrl, clock: systemClock, network });
    const open = (name: BackendName) => {
      const opened =
        others.get(name)?.({ settings, credential: found, tokens: theirs, network, log }) ??
        agent.backendOf({ tokens: theirs, apiKey: apiKeyOf(found) });
      // Nothing of a caller's account is kept on disk but what belongs to the caller's conversations.
      const catalogue = createCatalogue({ fetchModels: (signal) => opened.models(signal), preferences });
      return { backend: opened, catalogue };
    };
    return { account: theirs.account, roads: new Roads<OpenedRoad>({ routing, open, now: Date.now }) };
  };
  const bridge = openBridge(settings, log);
  const gateway = createGateway({
    roads,
    get account() {
      return tokens.account;
    },
    store,
    attachments: createAttachments({ clock: systemClock }),
    settings,
    clock: systemClock,
    bridge,
    ...(books !== undefined && { books }),
    onProblem: (problem) => log.warn({ err: problem }, "conversation state"),
  });
  const tellHealth = createHealth({
    version,
    backend: road.backend,
    isSimulated: road.backend === "simulator",
    tokens,
    usual: routing.usual,
    hasOwnLogin: (name) => name === "cli" || name === "sdk",
    mcp: () => bridge.facts,
    backends: () => roads.health,
    drift: () => backend.drift,
    transport: () => backend.transport,
    conversations: () => {
      const { parkedRuns, runsLetGo, continuity } = gateway;
      return { parkedRuns, runsLetGo, continuity };
    },
    lostLogLines: () => logOutput.lostLines,
  });
  const stopSweeping = systemClock.every(SWEEP_EVERY_MS, () => store.sweep(Date.now()));
  return {
    gateway,
    log,
    tokens,
    accountOfCredential: settings.passThrough
      ? callerAccounts({ open: openCaller, clock: systemClock, max: MAX_CALLERS, maxAgeMs: CALLER_AGE_MS })
      : undefined,
    health() {
      // A login that was missing may have been made since; the answer is for whoever asks next.
      void roads.checkLogins();
      return tellHealth();
    },
    async checkLogin() {
      await roads.checkLogins();
      return tellHealth().auth;
    },
    bridge,
    backend: road.backend,
    upstream: {
      backendUrl: settings.backendUrl,
      get agentUrl() {
        return backend.serverFacts.agentOrigin;
      },
      clientVersion: agentVersion(settings.clientVersion),
    },
    network,
    serverFacts: backend.readServerFacts,
    async close() {
      stopSweeping();
      await gateway.close();
      await bridge.close();
      backend.close();
      await store.close();
    },
  };
}

function apiKeyOf({ credential }: FoundCredential): string | undefined {
  return credential.kind === "api-key" ? credential.apiKey : undefined;
}

/** The gateway itself does not know that Cursor is simulated: it gets another address and a key, as anybody could set them. */
function simulatedCredential(): FoundCredential {
  const apiKey = `crsr_simulated_${randomBytes(16).toString("hex")}`;
  return { credential: { kind: "api-key", apiKey }, from: "the simulator", fix: "Start Curlew again." };
}
