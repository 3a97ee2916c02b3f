import { chooseBackend } from "../../app/prepare/choose-backend.js";
import { StartError } from "../../app/prepare/start-error.js";
import { type InnerSettings, innerSettings, type Settings } from "../../config/settings.js";
import type { ConductDay, LedgerReader } from "../../ledger/index.js";
import { identityOf, type SentIdentity } from "./identity.js";

/** Enough for the busiest day of one person, and read in a moment. */
const MAX_ENTRIES = 20_000;

export interface ConductReport extends Pick<InnerSettings, "conduct" | "leaseMs" | "heartbeatMs"> {
  /** The day of the machine's time zone. */
  readonly day: string;
  readonly seen: Omit<ConductDay, "startMs">;
  /** The backend that a gateway would use now; null where it could not start. */
  readonly backend: string | null;
  /** Why it could not. */
  readonly problem: string | null;
  /** That of each backend which was used today, or which would be used now. */
  readonly identities: readonly SentIdentity[];
}

const nothing: ConductReport["seen"] = {
  requests: 0,
  runs: 0,
  retries: 0,
  cancelled: 0,
  abandoned: {},
  peakRequests: 0,
  peakRuns: 0,
};

export async function readConduct(settings: Settings, ledger: LedgerReader, nowMs: number): Promise<ConductReport> {
  const { conduct, leaseMs, heartbeatMs } = innerSettings(settings);
  const now = new Date(nowMs);
  const fromMs = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  await ledger.ready();
  const { startMs: _, ...seen } = ledger.conduct(fromMs, nowMs + 1).at(-1) ?? { startMs: fromMs, ...nothing };
  const entries = ledger.entries({ fromMs, limit: MAX_ENTRIES });
  const { backend, problem } = await backendNow(settings);
  const used = entries.flatMap((entry) => (entry.runs > 0 && entry.backend !== null ? [entry.backend] : []));
  const names = new Set([...used, ...(backend === null ? [] : [backend])]);
  const identities = await Promise.all([...names].map((name) => identityOf(name, settings)));
  return { day: dayText(now), conduct, leaseMs, heartbeatMs, seen, backend, problem, identities };
}

async function backendNow(settings: Settings): Promise<Pick<ConductReport, "backend" | "problem">> {
  try {
    return { backend: (await chooseBackend(settings, { orSimulate: false })).backend, problem: null };
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    return { backend: null, problem: thrown.message.replaceAll(/\s+/g, " ") };
  }
}

function dayText(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
