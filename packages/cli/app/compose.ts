import { randomBytes, randomUUID } from "node:crypto";
import { type FoundCredential, secretsOf } from "@curlew/gateway/account/credential.js";
import type { BackendName } from "@curlew/gateway/backends/backend.js";
import { backendsIn, type Routing } from "@curlew/gateway/backends/choose/index.js";
import { usedUpPool } from "@curlew/gateway/backends/cursor/plan.js";
import type { Recorder } from "@curlew/gateway/backends/recorder.js";
import type { RegisteredBackend } from "@curlew/gateway/backends/registry.js";
import { createAttachments, loadPdfReader } from "@curlew/gateway/core/attachments/index.js";
import { argumentMisfit } from "@curlew/gateway/core/formats/schema-validators.js";
import { createGateway } from "@curlew/gateway/core/index.js";
import { callFingerprint } from "@curlew/gateway/core/tools/loop-guard.js";
import { loadConnect } from "@curlew/gateway/core/tools/mcp/index.js";
import { serveFront } from "@curlew/gateway/fronts/http/route.js";
import type { RouteDeps } from "@curlew/gateway/fronts/http/route-deps.js";
import { chat } from "@curlew/gateway/fronts/openai-chat/index.js";
import { modelFile } from "@curlew/gateway/models/index.js";
import { createNetwork, type Network } from "@curlew/gateway/network/index.js";
import { createMemoryStore, openStore, type Store } from "@curlew/gateway/store/index.js";
import { type Clock, systemClock } from "@curlew/gateway/system/clock.js";
import { openKeys, readKeys } from "@curlew/meter/keys/index.js";
import { type OpenLedger, openLedger } from "@curlew/meter/ledger/index.js";
import { readLimits } from "@curlew/meter/spend/index.js";
import { ownPage, pageApi } from "@curlew/page/routes/index.js";
import { createViews, readTroubles, type ViewsDeps } from "@curlew/page/views/index.js";
import { claimedClients, isDesktopVersion } from "../config/client-version.js";
import type { Constants } from "../config/constants.js";
import { type InnerSettings, innerSettings, type Settings } from "../config/settings.js";
import { createLog, type Log } from "../log/log.js";
import { LogOutput, type LogStream } from "../log/log-output.js";
import type { Colors } from "../terminal/print.js";
import { accountWith, backendsOf, callersOf, openBackends, ownTokens } from "./accounts.js";
import { monitorGateway, watchBuild } from "./gateway-health.js";
import { openBridge } from "./open-bridge.js";
import type { ChosenBackend } from "./prepare/choose-backend.js";
import { keysFile, ledgerFolder, limitsFile, modelsFile, signInAgain, storeOptions } from "./prepare/own-files.js";
import { firstLimits, openGuard, usageSource } from "./spending.js";

const SWEEP_EVERY_MS = 60_000;
/** Time for requests to finish once their runs are closed. A client that stops reading would take longer. */
const MAX_ENDING_MS = 1_000;
const LOOK_EVERY_MS = 10;

export type ComposedGateway = Awaited<ReturnType<typeof composeGateway>>;

export interface ComposeOptions {
  readonly logStream: LogStream;
  readonly logColors?: Colors | undefined;
  /** Overrides for tests. */
  readonly constants?: Partial<Constants> | undefined;
  readonly recorder?: Recorder | undefined;
}

/** Composes the gateway, for every command and for embedding. @throws StartError `limits_unusable`, before anything is opened */
export async function composeGateway(
  given: Settings,
  chosen: ChosenBackend,
  { constants, recorder, ...logOptions }: ComposeOptions,
) {
  const own = innerSettings(given, constants);
  const limits = firstLimits(own);
  const simulator = chosen.backend === "simulator" ? await openSimulator(chosen.isFallback) : undefined;
  const settings = simulator === undefined ? own : { ...own, backendUrl: simulator.url, agentUrl: undefined };
  const credential = chosen.backend === "simulator" ? simulatedCredential() : chosen.credential;
  const routing: Routing<RegisteredBackend> =
    chosen.backend === "simulator"
      ? { usual: "agent", routes: {}, fallback: [] }
      : { usual: chosen.backend, routes: settings.routes, fallback: settings.fallback };
  const { log, logOutput } = await openLog(settings, credential, logOptions);
  const warnOf = (message: string) => (problem: unknown) => log.warn({ err: problem }, message);
  const store = simulator === undefined ? await openSettingsStore(settings, log) : createMemoryStore({ now: Date.now });
  const clock = systemClock;
  const network = await networkFor(settings, recorder);
  const gatewayId: string = randomUUID();
  const { backendUrl } = settings;
  const tokens = ownTokens(settings, credential, { gatewayId, network, log });
  const clients = claimedClients(settings.clientVersion, settings.profile, (newest) => {
    const warning = `Cursor refuses this version as outdated; calls claim ${newest} from now on.`;
    log.warn({ clientVersion: settings.clientVersion, warning }, "client version");
  });
  if (isDesktopVersion(settings.clientVersion) && !backendsIn(routing).includes("chat")) {
    const warning = `Agent calls cannot use a version of the desktop app; they use ${clients.agent.version}.`;
    log.warn({ clientVersion: settings.clientVersion, warning }, "client version");
  }
  const misfit = argumentMisfit();
  const loadMisfit = async () => misfit;
  const fingerprint = callFingerprint;
  const { machine } = settings;
  const backendParts = { settings, clients, network, fingerprint, loadMisfit, machine, clock, log, recorder };
  const backends = await openBackends(backendsIn(routing), backendParts);
  const account = accountWith(tokens, credential);
  const agent = backends.agentOf(account);
  const keepModels = (name: BackendName) => {
    const onProblem = warnOf("list of models not kept");
    return modelFile({ path: modelsFile(settings, name), account: tokens.account, backendUrl, onProblem });
  };
  const accountDeps = { settings, routing, backends, network, clock };
  const accountBackends = backendsOf(
    accountDeps,
    (name) => (name === "agent" ? agent : backends.backendOf(name, account)),
    simulator === undefined ? keepModels : undefined, // each start has a new simulator
  );
  const bridge = openBridge(settings, log);
  const { elapsed } = clock;
  const keys = openKeys({ ...settings, path: keysFile(settings), elapsed, onProblem: warnOf("named keys") });
  const keepsTexts = settings.ledgerTexts;
  const folder = simulator === undefined ? ledgerFolder(settings) : undefined;
  const ledgerOptions = { folder, keptDays: settings.ledgerDays, keepsTexts, onProblem: warnOf("ledger") };
  const ledger = openLedger({ ...ledgerOptions, gateway: gatewayId, clock });
  const calls = { tokens, network, backendUrl, client: clients.agent };
  const spend = openGuard({ gatewayId, settings, clock, log, limits, keys, calls, earlier: ledger.reader });
  const usage = usageSource({ ledger: ledger.reader, settings, calls, clock });
  const gateway = createGateway({
    gatewayId,
    guard: spend.guard,
    planFor: async (model) => {
      const { plan, problem } = await usage.plan();
      if (plan === null) return { problem };
      return { resets: plan.resets === null ? undefined : new Date(plan.resets), usedUp: usedUpPool(plan, model) };
    },
    backends: accountBackends,
    get account() {
      return tokens.account;
    },
    store,
    attachments: createAttachments({ clock }),
    settings,
    clock,
    bridge,
    onProblem: warnOf("conversation state"),
  });
  const isUpdated = watchBuild(() => log.warn({}, "Curlew was updated; restart it"));
  store.sweep(Date.now()); // counts the stored state
  const stopSweeping = clock.every(SWEEP_EVERY_MS, () => {
    isUpdated(); // for the log
    store.sweep(Date.now());
  });
  const { backend } = chosen;
  const opened = { gatewayId, gateway, backend, conduct: settings.conduct, routing, accountBackends, agent };
  const { metrics, health } = monitorGateway({ ...opened, tokens, bridge, store, log, logOutput, isUpdated });
  const troubles = async () => {
    const limits = readLimits(limitsFile(settings));
    const owned = { limits, keys: readKeys(keysFile(settings)) ?? [], prices: settings.prices };
    return readTroubles({ ...owned, reader: ledger.reader, askPlan: usage.plan, signIn: signInAgain(settings) });
  };
  const views: ViewsDeps = {
    gatewayId,
    gateway,
    ledger,
    health,
    mcpServers: () => bridge.servers,
    troubles,
    listClients: async (question) => (await loadClientList()).listClients(question),
    settings,
    startedMs: clock.now(),
    asksForKey: () => keys.anonymous === undefined,
    machine,
    clock,
    onProblem: warnOf("the page cannot be updated"),
  };
  return {
    /** Gateway id carried by every published event. */
    gatewayId,
    gateway,
    metrics,
    log,
    tokens,
    keys,
    accountOfCredential: settings.passThrough ? callersOf(accountDeps) : undefined,
    health: health.checked,
    checkLogin: health.checkLogin,
    bridge,
    /** Display name of the backend. The simulator counts as one, although the agent backend runs it. */
    backend,
    usage,
    upstream: {
      backendUrl,
      get agentUrl() {
        return agent.serverConfig.agentOrigin;
      },
      client: clients.agent,
    },
    network,
    /** What Cursor reports about itself and the account, fetched on first use. */
    serverConfig: agent.readServerConfig,
    ledger: ledger.reader,
    troubles,
    /** Creates the routes of the page's API for this server, until `closing` aborts. */
    pageApi: (server: RouteDeps, closing: AbortSignal) =>
      pageApi({ views: createViews(views), usage, gateway: server.gateway, chat: serveFront(chat, server), closing }),
    /** Loads lazy modules before an update of Curlew removes their files. */
    loadRest: () => Promise.all([ownPage(), loadPdfReader(), loadClientList(), bridge.hasServers && loadConnect()]),
    async close() {
      stopSweeping();
      await gateway.close();
      await untilEnded(ledger, clock);
      spend.close();
      await bridge.close();
      agent.close();
      await store.close();
      await ledger.close();
      metrics.close();
      await simulator?.close();
    },
  };
}

/** Loaded lazily: it brings the settings files of sixteen clients, in three formats. */
export const loadClientList = () => import("../setup/page-clients.js");

async function openSettingsStore(settings: InnerSettings, log: Log): Promise<Store> {
  const { store, warnings } = await openStore({
    ...storeOptions(settings),
    onProblem: (problem) => log.warn({ err: problem }, "conversation state"),
  });
  for (const warning of warnings) log.warn({ warning }, "conversation state");
  return store;
}

/** Waits briefly for open requests, which still write to the store. */
async function untilEnded(ledger: Pick<OpenLedger, "openRecords">, clock: Clock): Promise<void> {
  const lastMs = clock.elapsed() + MAX_ENDING_MS;
  const never = new AbortController();
  while (ledger.openRecords().length > 0 && clock.elapsed() < lastMs) await clock.sleep(LOOK_EVERY_MS, never.signal);
}

async function networkFor(settings: Settings, recorder: Recorder | undefined): Promise<Network> {
  const network = createNetwork(settings);
  if (recorder === undefined) return network;
  const { recordedNetwork } = await import("@curlew/gateway/backends/capture/index.js");
  return recordedNetwork(network, recorder);
}

async function openSimulator(fallback: boolean) {
  const { startSimulator } = await import("@curlew/simulator/index.js");
  // Strict: its only client is this gateway, which sends everything that Cursor's own clients send.
  return startSimulator({ strict: true, fallback });
}

/** To the gateway, a simulated Cursor is just another address and API key. */
function simulatedCredential(): FoundCredential {
  const apiKey = `crsr_simulated_${randomBytes(16).toString("hex")}`;
  return { credential: { kind: "api-key", apiKey }, from: "the simulator", fix: "Start Curlew again." };
}

/** The gateway's log: JSON lines, or readable lines on a terminal. */
async function openLog(
  { logLevel, logFormat, apiKey, authToken, key }: Settings,
  { credential }: FoundCredential,
  { logStream, logColors }: ComposeOptions,
) {
  const logOutput = new LogOutput(logStream);
  const secrets = [apiKey, authToken, key, ...secretsOf(credential)];
  const isText = logFormat === "text" || (logFormat === "auto" && logOutput.isTTY);
  // Loaded lazily: a gateway without a terminal writes JSON.
  const { createLogLines } = isText ? await import("../terminal/log-lines.js") : {};
  const colors = logOutput.isTTY ? logColors : undefined;
  const format = createLogLines?.({ colors, columns: () => logOutput.columns });
  return { log: createLog({ level: logLevel, secrets, stream: logOutput, format }), logOutput };
}
