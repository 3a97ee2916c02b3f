import { officialBackends, registry } from "@curlew/gateway/backends/registry.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { type ConductDay, type LedgerReader, noConduct } from "@curlew/meter/ledger/index.js";
import { chooseBackend } from "../../app/prepare/choose-backend.js";
import { StartError } from "../../app/prepare/start-error.js";
import { claimedClients } from "../../config/client-version.js";
import { innerSettings, type Settings } from "../../config/settings.js";
import type { Colors } from "../../terminal/print.js";
import { table } from "../../terminal/table.js";
import { withLedger } from "../journal/with-ledger.js";

/** Enough for one person's busiest day, and fast to read. */
const MAX_ENTRIES = 20_000;

export type Conduct = Awaited<ReturnType<typeof readConduct>>;

/** From the ledger, with or without a running gateway. */
export async function readConduct(settings: Settings, now: Date) {
  const fromMs = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const read = async (ledger: LedgerReader) => {
    await ledger.ready();
    const { startMs: _, ...seen } = ledger.conduct(fromMs, now.getTime() + 1).at(-1) ?? { startMs: 0, ...noConduct() };
    return { seenToday: seen, entries: ledger.entries({ fromMs, limit: MAX_ENTRIES }) };
  };
  const { seenToday, entries } = await withLedger(settings, () => {}, read);
  const used = new Set(entries.flatMap(({ runs, backend }) => (runs > 0 && backend !== null ? [backend] : [])));
  const names = new Set([...used, ...(await backendNow(settings))]);
  const sentAs = await Promise.all([...names].map((name) => identityOf(name, settings)));
  const isCareful = settings.conduct === "careful";
  const ofPrograms = sentAs.filter(({ backend, isOfficial }) => used.has(backend) && !isOfficial);
  return {
    seenToday,
    // The identity that Cursor sees for each backend used today, or that would be used now.
    sentAs,
    // What went beyond careful conduct today, in words; null under the usual conduct.
    notCareful: isCareful ? beyond(seenToday, ofPrograms, settings) : null,
  };
}

async function backendNow(settings: Settings): Promise<string[]> {
  try {
    return [(await chooseBackend(settings)).backend];
  } catch (thrown) {
    if (thrown instanceof StartError) return [];
    throw thrown;
  }
}

function beyond(seen: Omit<ConductDay, "startMs">, others: readonly SentIdentity[], settings: Settings): string[] {
  const { maxRuns, retries } = innerSettings(settings);
  return [
    ...(seen.peakRuns > maxRuns ? [`${seen.peakRuns} runs at once`] : []),
    ...(seen.retries > retries ? [seen.retries === 1 ? "1 retry" : `${seen.retries} retries`] : []),
    ...others.filter(({ backend }) => backend !== "simulator").map(({ backend }) => `runs of the ${backend} backend`),
  ];
}

/** What Cursor's own clients are known to do, and how certain that is; a test compares it with docs/protocol/wire.md. */
export const ownClients = {
  runs: "one for each message (observed)",
  retries: "the CLI: after 1 s, then doubling (one)",
  abandoned: "wait while a call runs (observed)",
} as const;

/** Today's conduct compared with Cursor's own clients. Empty if Cursor has seen no run. */
export function describeConduct({ seenToday }: Pick<Conduct, "seenToday">, { dim }: Pick<Colors, "dim">): string {
  const { runs, peakRuns, retries, cancelled, abandoned } = seenToday;
  if (runs === 0) return "";
  const reasons = Object.entries(abandoned).filter(([, count]) => count > 0);
  const sum = reasons.reduce((total, [, count]) => total + count, 0);
  const list = reasons.map(([reason, count]) => `${count} ${reason}`).join(", ");
  const rows = [
    ["runs", String(runs), ownClients.runs],
    ["runs at once, at most", String(peakRuns), "unknown"],
    ["retries", String(retries), ownClients.retries],
    ["cancelled, client left", String(cancelled), "unknown"],
    ["given up while waiting", sum === 0 ? "0" : `${sum} (${list})`, ownClients.abandoned],
  ];
  return `\n${table(["SEEN BY CURSOR TODAY", "CURLEW", "CURSOR'S CLIENTS"], rows, { dim })}`;
}

export type SentIdentity = Awaited<ReturnType<typeof identityOf>>;

/** The identity that Cursor sees for one backend's runs. Unknown values are null. */
async function identityOf(backend: string, settings: Settings) {
  const official = officialBackends.find((name) => name === backend);
  if (official !== undefined) {
    const entry = registry[official];
    const parts = { settings, machine: settings.machine, clock: systemClock };
    const program = "ownLogin" in entry ? await (await entry.ownLogin()).installed(parts) : undefined;
    return { backend, clientVersion: program?.version ?? null, userAgent: null, hosts: null, isOfficial: true };
  }
  const isSimulated = backend === "simulator";
  const { agent, desktop } = claimedClients(settings.clientVersion, settings.profile);
  const { version: clientVersion, userAgent } = backend === "chat" ? desktop : agent;
  return { backend, clientVersion, userAgent, hosts: isSimulated ? null : hostsOf(settings), isOfficial: false };
}

/** Only Cursor's own API has separate hosts for runs; its server config may name another. */
function hostsOf({ backendUrl, agentUrl, profile }: Settings): string[] {
  const { api, privateAgent, openAgent } = profile.hosts;
  const ofRuns = agentUrl !== undefined ? [agentUrl] : backendUrl === api ? [privateAgent, openAgent] : [];
  return [...new Set([backendUrl, ...ofRuns].map((url) => new URL(url).host))];
}
