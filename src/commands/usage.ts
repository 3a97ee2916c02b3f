import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { createPrices } from "../prices/index.js";
import { shownOn } from "../shown-on.js";
import { type Grouping, groupings, isGrouping, maxDaysOf, reportUsage, usualDaysOf } from "../usage/index.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { columnsOf, folded } from "./line/folded.js";
import { wholeNumber } from "./line/whole-number.js";
import { describeUsage, type ShownUsage } from "./usage/describe.js";
import { forgetUsage } from "./usage/forget.js";
import type { Account } from "./usage/read-account.js";
import { toJson } from "./usage/to-json.js";
import { withLedger } from "./usage/with-ledger.js";

const usageSettings = [...upstreamSettings, "stateFolder"] as const;

export const usage = defineCommand({
  examples: [
    ["curlew usage", "your plan, and the last 7 days"],
    ["curlew usage --by client --days 30", "which client used how much"],
    ["curlew usage --forget --before 2026-11-01", "delete old entries"],
  ],
  args: {
    by: {
      type: "string",
      description: `What the rows are: ${groupings.join(", ")}. By default, day and model`,
      valueHint: "what",
    },
    days: { type: "string", description: "Days to show, including today (default 7; 1 by hour)", valueHint: "n" },
    local: { type: "boolean", description: "Show only what went through Curlew, and do not ask Cursor" },
    forget: { type: "boolean", description: "Delete Curlew's records of requests" },
    before: { type: "string", description: "With --forget: only what is older than this day", valueHint: "day" },
    key: { type: "string", description: "With --forget: only the requests of this key or client", valueHint: "name" },
    yes: { type: "boolean", description: "With --forget: do not ask before deleting" },
    json: { type: "boolean", description: "Print JSON" },
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
    const report = shownOn<ShownUsage>(process.stdout, { ...account, through });
    const isTerminal = process.stdout.isTTY === true;
    const style = {
      colors: colorsFor(process.stdout),
      drawsBars: isTerminal,
      columns: columnsOf(process.stdout),
      nowMs: Date.now(),
    };
    if (isJson) process.stdout.write(`${JSON.stringify(toJson(report), null, 2)}\n`);
    else process.stdout.write(folded(process.stdout, describeUsage(report, style)));
    return report.account === null ? 1 : 0;
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
  const { readAccount } = await import("./usage/read-account.js");
  return readAccount(settings);
}
