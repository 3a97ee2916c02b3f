import type { Gateway, HealthReport } from "@curlew/gateway/core/index.js";
import type { ServerReport } from "@curlew/gateway/core/tools/mcp/index.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import type { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { nameOf, type OpenLedger } from "@curlew/meter/ledger/index.js";
import { createPrices, type Price } from "@curlew/meter/prices/prices.js";
import { reportUsageInSlices, writeSum } from "@curlew/meter/usage/index.js";
import type {
  ClientsAnswer,
  HealthState,
  LiveRequest,
  LiveState,
  ModelsAnswer,
  NowAnswer,
  SeenClient,
  Told,
  WaitingRun,
} from "../access/contract.js";
import { LiveFeed } from "./live-feed.js";
import { listModels } from "./model-list.js";
import { listRequests, type RequestsQuestion, tellRequest } from "./request-story.js";
import { seenClients } from "./seen-clients.js";

export interface ViewsDeps {
  readonly gatewayId: string;
  readonly gateway: Pick<Gateway, "models" | "model" | "waitingRuns">;
  readonly ledger: Pick<OpenLedger, "reader" | "openRecords">;
  readonly health: Readonly<Record<"known" | "checked", () => HealthReport>>;
  readonly mcpServers: () => readonly ServerReport[];
  readonly troubles: () => Promise<Told>;
  readonly listClients: (question: ClientsQuestion) => Promise<ClientsAnswer>;
  readonly settings: {
    readonly prices: Readonly<Record<string, Price>>;
    readonly modelAliases: Readonly<Record<string, string>>;
  };
  readonly startedMs: number;
  readonly asksForKey: () => boolean;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly onProblem: (problem: unknown) => void;
}

export interface ClientsQuestion {
  /** The gateway's address as seen by the page, without a path. */
  readonly url: string;
  readonly asksForKey: boolean;
  /** The context size of `auto`, if known. */
  readonly contextTokens: number | undefined;
  readonly machine: Machine;
  readonly seen: readonly SeenClient[];
}

export type PageViews = ReturnType<typeof createViews>;

export function createViews(deps: ViewsDeps) {
  const { gatewayId, gateway, ledger, health, mcpServers, settings, clock, startedMs, asksForKey, onProblem } = deps;
  const { reader } = ledger;
  const prices = createPrices(settings.prices);
  const live = () => liveState(ledger.openRecords(), gateway.waitingRuns());
  let told: Told = { troubles: [], signIn: "curlew login" };
  const today = async (): Promise<NowAnswer["today"]> => {
    told = await deps.troubles().catch(() => told); // the limits file may be invalid at the moment
    await reader.ready();
    const { total } = await reportUsageInSlices(reader, { by: "model", days: 1, nowMs: clock.now(), prices });
    return writeSum(total);
  };
  const knownHealth = () => healthState(health.known(), mcpServers(), told);
  return {
    async now(): Promise<NowAnswer> {
      const report = health.checked();
      const { version, backend, simulator, conduct } = report;
      const sums = await today();
      return {
        nowMs: clock.now(),
        gateway: { version, backend, isSimulated: simulator, conduct, startedMs, asksForKey: asksForKey() },
        health: healthState(report, mcpServers(), told),
        today: sums,
        live: live(),
      };
    },
    feed: new LiveFeed({ gatewayId, clock, live, health: knownHealth, today, onProblem }),
    requests: (question: RequestsQuestion) => listRequests(reader, question),
    /** Undefined if the ledger does not have it. */
    request: (id: string) => tellRequest(reader, id, prices),
    /** @throws GatewayError without a cached list, if Cursor cannot be asked */
    async models(signal: AbortSignal): Promise<ModelsAnswer> {
      return { models: listModels(await gateway.models(signal), { prices, aliases: settings.modelAliases }) };
    },
    async clients(url: string, signal: AbortSignal): Promise<ClientsAnswer> {
      const [seen, auto] = await Promise.all([
        seenClients(reader, clock.now()),
        gateway.model("auto", signal).catch(() => undefined), // optional for the setup of clients
      ]);
      const { contextTokens } = auto ?? {};
      return deps.listClients({ url, asksForKey: asksForKey(), contextTokens, machine: deps.machine, seen });
    },
  };
}

/** State of the backends and MCP servers, without asking any of them. */
function healthState(report: HealthReport, servers: readonly ServerReport[], told: Told): HealthState {
  const { auth, backends, drift, transport, lostLogLines, updated } = report;
  return {
    auth,
    ...told,
    backends: Object.entries(backends).map(([name, state]) => ({ name, ...state })),
    mcpServers: servers.map(({ problem, ...server }) => ({ ...server, problem: problem ?? null })),
    drift,
    transport: transport === undefined ? null : { name: transport.name, reason: transport.reason },
    lostLogLines,
    isUpdated: updated,
  };
}

/** Rows shown. The rest is only counted. */
const MAX_SHOWN = 50;

type ParkedRun = ReturnType<Gateway["waitingRuns"]>[number];

export function liveState(records: readonly RequestRecord[], parked: readonly ParkedRun[]): LiveState {
  const newest = records.toSorted((one, other) => other.startedMs - one.startedMs).slice(0, MAX_SHOWN);
  const first = parked.toSorted((one, other) => one.leaseEndsMs - other.leaseEndsMs).slice(0, MAX_SHOWN);
  return {
    requests: newest.map(liveRequest),
    moreRequests: records.length - newest.length,
    waiting: first.map(waitingRun),
    moreWaiting: parked.length - first.length,
  };
}

function liveRequest(record: RequestRecord): LiveRequest {
  return {
    id: record.requestId,
    client: nameOf(record.client),
    dialect: record.dialect,
    model: nameOf(record.model ?? record.askedModel),
    startedMs: record.startedMs,
    plannedMs: record.plannedMs ?? null,
    openedMs: record.openedMs ?? null,
    firstByteMs: record.firstByteMs ?? null,
    round: record.round,
    side: record.side ?? null,
    continuity: record.continuity ?? null,
  };
}

function waitingRun({ request, model, calls, pausedMs, leaseEndsMs }: ParkedRun): WaitingRun {
  return { id: request.requestId, client: nameOf(request.client), model, calls, pausedMs, leaseEndsMs };
}
