import { ledgerFolder } from "../../app/prepare/own-files.js";
import type { Settings } from "../../config/settings.js";
import { dayStart, forgetRequests, type LedgerReader } from "../../ledger/index.js";
import { CommandFailure, report } from "../../terminal/print.js";
import { askConsent } from "../../terminal/prompts.js";
import { dayOf } from "../../usage/index.js";
import { withLedger } from "../journal/with-ledger.js";

interface Wish {
  readonly before: string | undefined;
  readonly key: string | undefined;
  readonly hasConsent: boolean;
  readonly isJson: boolean;
}

interface Rule {
  readonly before: string | undefined;
  readonly client: string | undefined;
}

/** Deletes what the ledger has of requests, once the owner agrees. A gateway may run meanwhile. */
export async function forgetUsage(settings: Settings, { before, key, hasConsent, isJson }: Wish): Promise<number> {
  if (before !== undefined && dayStart(before) === undefined) {
    throw new CommandFailure(2, `--before must be a day such as 2026-11-01, not ${JSON.stringify(before)}.`);
  }
  const rule = { before, client: key };
  const found = await withLedger(settings, (reader) => find(reader, rule));
  const { requests, turns } = found ?? { requests: 0, turns: 0 };
  const forgotten = { requests, turns, before: before ?? null, key: key ?? null };
  if (found === undefined) return report({ forgotten }, isJson, () => "There is nothing to forget.\n");
  const what = describe(found, rule);
  if (!hasConsent && !(await askConsent(`Forget ${what}? This cannot be undone.`))) {
    throw new CommandFailure(1, `Nothing was forgotten. To forget ${what}, without a question, add --yes.`);
  }
  await forgetRequests({ folder: ledgerFolder(settings) }, rule).catch((cause: unknown) => {
    const why = `The ledger could not be changed, and may have kept some of it: ${String(cause)}`;
    throw new CommandFailure(1, why, { cause });
  });
  return report({ forgotten }, isJson, () => `Forgot ${what}.\n`);
}

function find(reader: LedgerReader, { before, client }: Rule) {
  const rollUps = reader
    .rollUps("day", 0, Number.MAX_SAFE_INTEGER)
    .filter((rollUp) => client === undefined || rollUp.client === client)
    .filter(({ startMs }) => before === undefined || dayOf(startMs) < before);
  const [first] = rollUps;
  if (first === undefined) return undefined;
  return {
    requests: rollUps.reduce((sum, { requests }) => sum + requests, 0),
    // Days of earlier versions have turns alone.
    turns: rollUps.reduce((sum, { turns }) => sum + turns, 0),
    firstMs: first.startMs,
    lastMs: rollUps.at(-1)?.startMs ?? first.startMs,
  };
}

/** `12 requests of the key ci, from 2026-11-01 to 2026-11-03` */
function describe(found: NonNullable<ReturnType<typeof find>>, { client }: Rule): string {
  const { requests, turns, firstMs, lastMs } = found;
  const [count, noun] = requests > 0 ? [requests, "request"] : [turns, "turn"];
  const [first, last] = [dayOf(firstMs), dayOf(lastMs)];
  const days = first === last ? `on ${first}` : `from ${first} to ${last}`;
  const whose = client === undefined ? "" : ` of ${client}`;
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}${whose}, ${days}`;
}
