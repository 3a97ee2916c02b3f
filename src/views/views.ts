import type { Clock } from "../clock.js";
import type { Machine } from "../config/machine.js";
import type { Gateway } from "../gateway/index.js";
import type { OpenLedger } from "../ledger/index.js";
import type { HealthReport } from "../ops/health.js";
import type { ClientsAnswer, ModelsAnswer, NowAnswer, RequestAnswer, RequestsAnswer, Sums } from "../page/contract.js";
import { createPrices, type Price } from "../prices/index.js";
import type { ServerReport } from "../tools/mcp/index.js";
import { reportUsageInSlices, writeSum } from "../usage/index.js";
import { healthState } from "./health-state.js";
import { LiveFeed } from "./live-feed.js";
import { liveState } from "./live-state.js";
import { listModels } from "./model-list.js";
import { listRequests, type RequestsQuestion } from "./request-list.js";
import { tellRequest } from "./request-story.js";
import { seenClients } from "./seen-clients.js";

export interface ViewsDeps {
  readonly gatewayId: string;
  readonly gateway: Pick<Gateway, "models" | "model" | "waitingRuns">;
  readonly ledger: Pick<OpenLedger, "reader" | "openRecords">;
  readonly health: {
    /** What is known. */
    known(): HealthReport;
    /** The same, where somebody has just begun to look: what can be found out then is there for the next who asks. */
    checked(): HealthReport;
  };
  readonly mcpServers: () => readonly ServerReport[];
  /** The owner's prices and names. */
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

/** What the views of the page read. */
export interface PageViews {
  now(): Promise<NowAnswer>;
  readonly feed: LiveFeed;
  requests(question: RequestsQuestion): Promise<RequestsAnswer>;
  /** Undefined if the ledger does not have it. */
  request(id: string): Promise<RequestAnswer | undefined>;
  /** @throws GatewayError when there is no list and Cursor cannot be asked */
  models(signal: AbortSignal): Promise<ModelsAnswer>;
  /** The address is that of the gateway for whoever looks, without a path. */
  clients(url: string, signal: AbortSignal): Promise<ClientsAnswer>;
}

export function createViews(deps: ViewsDeps): PageViews {
  const { gateway, ledger, health, mcpServers, settings, clock, asksForKey } = deps;
  const { reader } = ledger;
  const prices = createPrices(settings.prices);
  const live = () => liveState(ledger.openRecords(), gateway.waitingRuns());
  const today = async (): Promise<Sums> => {
    await reader.ready();
    const { total } = await reportUsageInSlices(reader, { by: "model", days: 1, nowMs: clock.now(), prices });
    return writeSum(total);
  };
  const { gatewayId, onProblem } = deps;
  const knownHealth = () => healthState(health.known(), mcpServers());
  return {
    async now() {
      const report = health.checked();
      const { version, backend, simulator, conduct } = report;
      const sums = await today();
      return {
        nowMs: clock.now(),
        gateway: {
          version,
          backend,
          isSimulated: simulator,
          conduct,
          startedMs: deps.startedMs,
          asksForKey: asksForKey(),
        },
        health: healthState(report, mcpServers()),
        today: sums,
        live: live(),
      };
    },
    feed: new LiveFeed({ gatewayId, clock, live, health: knownHealth, today, onProblem }),
    requests: (question) => listRequests(reader, question),
    request: (id) => tellRequest(reader, id, prices),
    async models(signal) {
      return { models: listModels(await gateway.models(signal), { prices, aliases: settings.modelAliases }) };
    },
    async clients(url, signal) {
      // Loaded late: it knows the settings files of sixteen clients, in three formats.
      const [{ listClients }, seen, auto] = await Promise.all([
        import("./client-list.js"),
        seenClients(reader, clock.now()),
        gateway.model("auto", signal).catch(() => undefined), // clients can be set up without it
      ]);
      const { contextTokens } = auto ?? {};
      return listClients({ url, asksForKey: asksForKey(), contextTokens, machine: deps.machine, seen });
    },
  };
}
