import type { CursorPlan, PlanAnswer } from "@curlew/gateway/backends/cursor/plan.js";
import { isClientsFault } from "@curlew/gateway/turn/error.js";
import type { StoredKey } from "@curlew/meter/keys/index.js";
import { type LedgerEntry, type LedgerReader, searchInSlices } from "@curlew/meter/ledger/index.js";
import { createPrices, type Price } from "@curlew/meter/prices/prices.js";
import { type LimitInUse, type Limits, limitsInUse, timeText } from "@curlew/meter/spend/index.js";
import { isErrorCode, remedies } from "@curlew/meter/why/index.js";
import type { Told, Trouble } from "../access/contract.js";

const RECENT_TURNS = 10;
const RECENT_MS = 15 * 60_000;
/** A turn with many tool rounds has as many entries. */
const MAX_ENTRIES = 4_000;
/** This many failures with one cause are reported. */
const MANY = 3;
const NEAR_SHARE = 0.9;

interface TroubleSources {
  readonly limits: Limits;
  readonly keys: readonly StoredKey[];
  readonly reader: LedgerReader;
  readonly askPlan: () => Promise<PlanAnswer>;
  readonly prices: Readonly<Record<string, Price>>;
  readonly signIn: string;
}

/** Problems that stop turns, or soon will. Shared by the page, `status` and `doctor`, for equal wording. */
export async function readTroubles({ askPlan, signIn, ...sources }: TroubleSources): Promise<Told> {
  const { reader } = sources;
  const nowMs = Date.now();
  const { plan } = await askPlan();
  await reader.ready();
  // Limits of single conversations and clients affect only those, so nothing is read for them.
  const used = limitsInUse({
    ...sources,
    reader: { rollUps: (...span) => reader.rollUps(...span), entries: () => [], thread: () => undefined },
    costOf: createPrices(sources.prices).costOf,
    plan: plan ?? undefined,
    nowMs,
  });
  const turns = await newestTurns(reader, nowMs);
  const ofPlan = plan === null ? null : planTrouble(plan);
  const failures = failureTroubles(turns, signIn, ofPlan);
  return { troubles: [...used.flatMap(limitTrouble), ...(ofPlan === null ? [] : [ofPlan]), ...failures], signIn };
}

function limitTrouble({ name, key, models, max, used, unit, endsMs, of }: LimitInUse): Trouble[] {
  if (max === null || used === null || used < NEAR_SHARE * max || of === "default") return [];
  const isReached = used >= max;
  const isForAll = key === null && models === null;
  const whose = key === null ? "" : ` of the key ${key}`;
  const amount = `${used.toLocaleString("en")} of ${max.toLocaleString("en")} ${unit}`;
  return [
    {
      what: `the limit ${name}${whose} is ${isReached ? "reached" : "near"}: ${amount} used`,
      isFatal: isReached && isForAll,
      advice: endsMs === null ? null : `It resets at ${timeText(endsMs)}.`,
      command: isForAll ? `curlew limits set ${name} ${2 * Math.ceil(Math.max(used, max))}` : "curlew limits",
    },
  ];
}

/** The last entry of each of the newest turns, oldest first. */
async function newestTurns(reader: LedgerReader, nowMs: number): Promise<readonly LedgerEntry[]> {
  const seen = new Set<string>();
  const isLast = ({ turnId, atMs }: LedgerEntry) => seen.add(turnId).size > RECENT_TURNS && atMs < nowMs - RECENT_MS;
  const { entries } = await searchInSlices(reader, { limit: MAX_ENTRIES, maxLooked: MAX_ENTRIES, isLast });
  const turns = [...new Map(entries.toReversed().map((entry) => [entry.turnId, entry])).values()];
  return turns.filter(({ atMs }, at) => at >= turns.length - RECENT_TURNS || atMs > nowMs - RECENT_MS);
}

/** Causes that are not the client's own and by which several of the newest turns failed. */
function failureTroubles(turns: readonly LedgerEntry[], signIn: string, ofPlan: Trouble | null): Trouble[] {
  const newest = turns.at(-1)?.outcome;
  return [...new Set(turns.map(({ outcome }) => outcome))].flatMap((code) => {
    if (!isErrorCode(code) || code === "quota_exceeded" || isClientsFault(code)) return [];
    // Without a thread it never became a turn: a wrong key of the client's, for one.
    const failed = turns.filter(({ outcome, thread }) => outcome === code && thread !== null);
    const last = failed.at(-1);
    if (last === undefined) return [];
    // Turns with other models may draw from another pool, and prove nothing about this one.
    const isUsedUp = code === "insufficient_quota" && turns.findLast(({ model }) => model === last.model) === last;
    if ((failed.length < MANY && !isUsedUp) || (isUsedUp && ofPlan?.isFatal === true)) return [];
    const what = isUsedUp
      ? `your plan is used up for ${last.model}`
      : `${failed.length} of the last ${turns.length} turns failed`;
    const [command = null] = /curlew [a-z]+(?: --[a-z]+)?/.exec(remedies[code]) ?? [];
    const isFatal = !isUsedUp || newest === code;
    return [{ what, isFatal, advice: last.message, command: command === "curlew login" ? signIn : command }];
  });
}

/** Exhausted parts of the plan. Only a fully exhausted one is fatal, because models of the other pool remain usable. */
export function planTrouble(plan: CursorPlan): Trouble | null {
  const isUsed = (percent: number | null) => (percent ?? 0) >= 100;
  const [auto, api] = [isUsed(plan.autoPercentUsed), isUsed(plan.apiPercentUsed)];
  const isAllUsed = (auto && api) || isUsed(plan.percentUsed);
  if (!isAllUsed && !auto && !api) return null;
  const until = plan.resets === null ? "" : ` until ${dayOf(plan.resets)}`;
  const pool = auto ? "Cursor Models" : "Other Models";
  const { usedCents = 0, limitCents = null } = plan.onDemand ?? {};
  const isBilled = limitCents === "unlimited" || (limitCents !== null && usedCents < limitCents);
  const otherwise = isAllUsed
    ? "You can upgrade or allow on-demand spending in Cursor's settings."
    : `Until then, use ${auto ? "one of Other Models" : "Auto or Composer"}.`;
  return {
    what: isAllUsed ? `your plan is used up${until}` : `${pool} of your plan are used up${until}`,
    isFatal: isAllUsed && !isBilled,
    advice: isBilled ? "Further usage is billed on demand by Cursor." : otherwise,
    command: "curlew usage",
  };
}

function dayOf(iso: string): string {
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
