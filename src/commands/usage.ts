import type { Account } from "../app/read-account.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { createPrices, knownDollars } from "../prices/index.js";
import { CommandFailure, colorsFor, report } from "../terminal/print.js";
import { startSpinner } from "../terminal/spinner.js";
import { columnsOf, folded } from "../terminal/table.js";
import {
  cacheShare,
  type Grouping,
  groupings,
  isGrouping,
  maxDaysOf,
  reportUsage,
  savedTokens,
  type UsageRow,
  type UsageSum,
  usualDaysOf,
  warmShare,
} from "../usage/index.js";
import { withLedger } from "./journal/with-ledger.js";
import { defineCommand, flag, option, wholeNumber } from "./line/definition.js";
import { describeUsage, type ShownUsage } from "./usage/describe.js";
import { forgetUsage } from "./usage/forget.js";

const usageSettings = [...upstreamSettings, "stateFolder"] as const;

export const usage = defineCommand({
  examples: [
    ["curlew usage", "your plan, and the last 7 days"],
    ["curlew usage --by client --days 30", "which client used how much"],
    ["curlew usage --forget --before 2026-11-01", "delete old entries"],
  ],
  args: {
    by: option("what", `What the rows are: ${groupings.join(", ")}. By default, day and model`),
    days: option("n", "Days to show, including today (default 7; 1 by hour)"),
    local: flag("Show only what went through Curlew, and do not ask Cursor"),
    forget: flag("Delete Curlew's records of requests"),
    before: option("day", "With --forget: only what is older than this day", { use: "rare" }),
    key: option("name", "With --forget: only the requests of this key or client", { use: "rare" }),
    yes: flag("With --forget: do not ask before deleting"),
    json: flag("Print JSON"),
    ...settingArgs(usageSettings),
  },
  /** The exit code is 0 if Cursor has reported the usage, or was not to be asked. */
  async run({ args }) {
    const { by: wantedBy, days: wantedDays, local, forget, before, key, yes } = args;
    const isJson = args.json === true;
    if (forget) {
      refuseAll("is not for --forget", { "--by": wantedBy, "--days": wantedDays, "--local": local });
      const { settings } = loadFrom(args, usageSettings);
      return forgetUsage(settings, { before, key, hasConsent: yes === true, isJson });
    }
    refuseAll("is only for --forget", { "--before": before, "--key": key, "--yes": yes });
    const by = groupingOf(wantedBy);
    const days = wholeNumber("--days", wantedDays ?? String(usualDaysOf(by)), 1, maxDaysOf(by));
    const { settings } = loadFrom(args, usageSettings);
    const through = await withLedger(settings, (reader) =>
      reportUsage(reader, { by, days, nowMs: Date.now(), prices: createPrices(settings.prices) }),
    );
    const account = local ? { account: undefined, problem: null } : await askCursor(settings);
    const found: ShownUsage = { ...account, through };
    const { stdout } = process;
    const drawsBars = stdout.isTTY === true;
    const style = { colors: colorsFor(stdout), drawsBars, columns: columnsOf(stdout), nowMs: Date.now() };
    report(found, isJson, (shown) => folded(stdout, describeUsage(shown, style)), toJson);
    return found.account === null ? 1 : 0;
  },
});

function groupingOf(text: string | undefined): Grouping {
  if (text === undefined) return "day";
  if (isGrouping(text)) return text;
  throw new CommandFailure(2, `--by must be one of ${groupings.join(", ")}, not ${JSON.stringify(text)}.`);
}

function refuseAll(why: string, options: Readonly<Record<string, unknown>>): void {
  const [given] = Object.keys(options).filter((name) => options[name] !== undefined && options[name] !== false);
  if (given !== undefined) throw new CommandFailure(2, `${given} ${why}.\nSee: curlew usage --help`);
}

/** What talks to Cursor is large, and is loaded only if it is needed. */
async function askCursor(settings: Settings): Promise<Account> {
  const stopSpinner = startSpinner("asking Cursor");
  const { readAccount } = await import("../app/read-account.js");
  return readAccount(settings).finally(stopSpinner);
}

export function toJson({ account, problem, through: { by, days, rows, total } }: ShownUsage): object {
  const entries = rows.map((row) => ({ ...namesOf(row), ...figuresOf(row.sum) }));
  return { account: account ?? null, problem, throughCurlew: { days, by, entries, total: figuresOf(total) } };
}

function namesOf({ startMs, day, hour, model, client }: UsageRow) {
  return {
    ...(day !== undefined && { day }),
    ...(hour !== undefined && { hour }),
    ...(startMs !== undefined && { startsAt: new Date(startMs).toISOString() }),
    ...(model !== undefined && { model }),
    ...(client !== undefined && { client }),
  };
}

function figuresOf(sum: UsageSum) {
  const { tokens, cost } = sum;
  return {
    turns: sum.turns,
    estimatedTurns: sum.estimatedTurns,
    inputTokens: tokens.input,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    outputTokens: tokens.output,
    reasoningTokens: tokens.reasoning,
    warmReplies: sum.warm,
    coldReplies: sum.cold,
    cacheShare: cacheShare(sum) ?? null,
    warmShare: warmShare(sum) ?? null,
    savedTokens: savedTokens(sum),
    requests: sum.requests,
    failures: sum.failures,
    runs: sum.runs,
    retries: sum.retries,
    sentBytes: sum.sentBytes,
    receivedBytes: sum.receivedBytes,
    cost: { dollars: knownDollars(cost), unpricedModels: cost.unpricedModels },
  };
}
