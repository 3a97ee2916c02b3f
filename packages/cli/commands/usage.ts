import { some } from "@curlew/gateway/system/format.js";
import { isObject } from "@curlew/gateway/turn/read-json.js";
import { dayStart, forgetRequests, type LedgerReader } from "@curlew/meter/ledger/index.js";
import { createPrices } from "@curlew/meter/prices/prices.js";
import {
  dayOf,
  groupings,
  isGrouping,
  maxDaysOf,
  reportUsage,
  usualDaysOf,
  writeRow,
  writeSum,
} from "@curlew/meter/usage/index.js";
import { ledgerFolder } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, report } from "../terminal/print.js";
import { askConsent } from "../terminal/prompts.js";
import { startSpinner } from "../terminal/spinner.js";
import { columnsOf, folded } from "../terminal/table.js";
import { warnOn, withLedger } from "./journal/with-ledger.js";
import { defineCommand, flag, option, wholeNumber } from "./line/definition.js";
import { describeUsage, type ShownUsage } from "./usage/describe.js";

export const usage = defineCommand({
  examples: [
    ["curlew usage", "your plan, and the last 7 days"],
    ["curlew usage --by client --days 30", "which client used how much"],
    ["curlew usage --forget --before 2026-11-01", "delete old entries"],
  ],
  args: {
    by: option("what", `Group by ${groupings.join(", ")}; by default, day and model`),
    days: option("n", "Days to show (default 7; with --by hour, 1)"),
    local: flag("Show only what went through Curlew, and do not ask Cursor"),
    forget: flag("Delete Curlew's records of requests"),
    before: option("day", "With --forget: only what is older than this day", { use: "rare" }),
    key: option("name", "With --forget: only the requests of this key or client", { use: "rare" }),
    yes: flag("With --forget: do not ask before deleting"),
    json: flag("Print JSON"),
    ...settingArgs([...upstreamSettings, "stateFolder"]),
  },
  /** The exit code is 0 if Cursor has reported the usage, or with `--local`. */
  async run({ args, machine }) {
    const { by: wantedBy, days: wantedDays, local, forget, before, key, yes } = args;
    const isJson = args.json === true;
    if (forget) {
      refuseAll("is not for --forget", { "--by": wantedBy, "--days": wantedDays, "--local": local });
      const { settings } = loadFrom(args, machine);
      return forgetUsage(machine, settings, { before, client: key }, yes === true, isJson);
    }
    refuseAll("is only for --forget", { "--before": before, "--key": key, "--yes": yes });
    const by = wantedBy ?? "day";
    if (!isGrouping(by)) {
      throw new CommandFailure(2, `--by must be one of ${groupings.join(", ")}, not ${JSON.stringify(by)}.`);
    }
    const days = wholeNumber("--days", wantedDays ?? String(usualDaysOf(by)), 1, maxDaysOf(by));
    const { settings } = loadFrom(args, machine);
    const through = await withLedger(settings, warnOn(machine.stderr), (reader) =>
      reportUsage(reader, { by, days, nowMs: Date.now(), prices: createPrices(settings.prices) }),
    );
    const account = local ? { account: undefined, problem: null } : await askCursor(settings, machine);
    const found: ShownUsage = { ...account, through };
    const { stdout } = machine;
    const drawsBars = stdout.isTTY === true;
    const style = { colors: colorsFor(stdout, machine.env), drawsBars, columns: columnsOf(stdout), nowMs: Date.now() };
    report(machine.stdout, found, isJson, (shown) => folded(stdout, describeUsage(shown, style)), toJson);
    return found.account === null ? 1 : 0;
  },
});

function refuseAll(why: string, options: Readonly<Record<string, unknown>>): void {
  const [given] = Object.keys(options).filter((name) => options[name] !== undefined && options[name] !== false);
  if (given !== undefined) throw new CommandFailure(2, `${given} ${why}.\nSee: curlew usage --help`);
}

/** Loads the code that calls Cursor only if needed, because it is large. */
async function askCursor(settings: Settings, machine: CommandMachine) {
  const stopSpinner = startSpinner(machine, "asking Cursor");
  const { readAccount } = await import("../app/with-gateway.js");
  return readAccount(settings, machine.stderr).finally(stopSpinner);
}

export function toJson({ account, problem, through: { by, days, rows, total } }: ShownUsage): object {
  const entries = rows.map((row) => ({ hour: row.hour, ...inCamelCase(writeRow(row)) }));
  return {
    account: account ?? null,
    problem,
    throughCurlew: { days, by, entries, total: inCamelCase(writeSum(total)) },
  };
}

/** The figures of `GET /v1/usage` with the names of command JSON: `sent_bytes` is `sentBytes`. */
function inCamelCase(figures: object): Record<string, unknown> {
  const entries = Object.entries(figures).map(([name, value]: [string, unknown]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    isObject(value) ? inCamelCase(value) : value,
  ]);
  return Object.fromEntries(entries);
}

type Rule = Parameters<typeof forgetRequests>[1];

/** Deletes requests from the ledger after consent. A gateway may run meanwhile. */
async function forgetUsage(
  machine: CommandMachine,
  settings: Settings,
  rule: Rule,
  hasConsent: boolean,
  isJson: boolean,
): Promise<number> {
  const { before, client } = rule;
  if (before !== undefined && dayStart(before) === undefined) {
    throw new CommandFailure(2, `--before must be a day such as 2026-11-01, not ${JSON.stringify(before)}.`);
  }
  const found = await withLedger(settings, warnOn(machine.stderr), (reader) => find(reader, rule));
  const { requests, turns } = found ?? { requests: 0, turns: 0 };
  const forgotten = { requests, turns, before: before ?? null, key: client ?? null };
  if (found === undefined) return report(machine.stdout, { forgotten }, isJson, () => "There is nothing to forget.\n");
  const what = describe(found, rule);
  if (!hasConsent && !(await askConsent(machine, `Forget ${what}? This cannot be undone.`))) {
    throw new CommandFailure(1, `Nothing was forgotten. To forget ${what}, without the question, add --yes.`);
  }
  await forgetRequests({ folder: ledgerFolder(settings) }, rule).catch((cause: unknown) => {
    const why = `The ledger could not be changed, and may still hold some of it: ${String(cause)}`;
    throw new CommandFailure(1, why, { cause });
  });
  return report(machine.stdout, { forgotten }, isJson, () => `Forgot ${what}.\n`);
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
    turns: rollUps.reduce((sum, { turns }) => sum + turns, 0),
    firstMs: first.startMs,
    lastMs: rollUps.at(-1)?.startMs ?? first.startMs,
  };
}

/** `12 requests of the key ci, from 2026-11-01 to 2026-11-03` */
function describe(found: NonNullable<ReturnType<typeof find>>, { client }: Rule): string {
  const { requests, firstMs, lastMs } = found;
  const [first, last] = [dayOf(firstMs), dayOf(lastMs)];
  const days = first === last ? `on ${first}` : `from ${first} to ${last}`;
  const whose = client === undefined ? "" : ` of ${client}`;
  return `${some(requests, "request")}${whose}, ${days}`;
}
