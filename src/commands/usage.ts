import { defineCommand } from "citty";
import { usageFolder } from "../app/prepare/own-files.js";
import { StartError } from "../app/prepare/start-error.js";
import { withGateway } from "../app/with-gateway.js";
import { commandCalls } from "../backends/cursor/signed-calls.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import type { Settings } from "../config/settings.js";
import { addCounts, cacheShare, noUsage } from "../ops/usage-counts.js";
import { UsageDays } from "../ops/usage-days.js";
import { readPlan } from "../plan/index.js";
import { shownOn } from "../shown-on.js";
import { GatewayError } from "../turn/error.js";
import { wholeNumber } from "./line/arguments.js";
import { colorsFor } from "./line/colors.js";
import { startSpinner } from "./terminal/spinner.js";
import { describeUsage, type UsageReport } from "./usage/describe.js";

const MAX_DAYS = 400;
const usageSettings = [...upstreamSettings, "stateFolder"] as const;

export const usage = defineCommand({
  args: {
    days: {
      type: "string",
      default: "7",
      description: "How many days of Curlew's usage ledger to show",
      valueHint: "n",
    },
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(usageSettings),
  },
  /** The exit code is 0 if Cursor has reported the usage. */
  async run({ args }) {
    const days = wholeNumber("--days", args.days, 1, MAX_DAYS);
    const { settings } = loadFrom(args, usageSettings);
    const through = new UsageDays(usageFolder(settings)).read(Date.now(), days);
    const total = { ...noUsage };
    for (const { counts } of through) addCounts(total, counts);
    const found: UsageReport = { ...(await readAccount(settings)), days, through, total };
    const report = shownOn(process.stdout, found);
    const isTerminal = process.stdout.isTTY === true;
    const style = { colors: colorsFor(process.stdout), drawsBars: isTerminal, nowMs: Date.now() };
    process.stdout.write(args.json ? `${JSON.stringify(toJson(report), null, 2)}\n` : describeUsage(report, style));
    return report.account === null ? 1 : 0;
  },
});

async function readAccount(settings: Settings): Promise<Pick<UsageReport, "account" | "problem">> {
  const stopSpinner = startSpinner("asking Cursor", process.stderr);
  try {
    return {
      account: await withGateway(settings, ({ tokens, upstream, network }) =>
        readPlan(commandCalls({ tokens, network, ...upstream })),
      ),
      problem: null,
    };
  } catch (thrown) {
    // The usage through Curlew is worth showing anyway.
    if (!(thrown instanceof GatewayError) && !(thrown instanceof StartError)) throw thrown;
    return { account: null, problem: thrown.message.replaceAll("\n", " ") };
  } finally {
    stopSpinner();
  }
}

function toJson({ account, problem, days, through, total }: UsageReport): object {
  const shown = (counts: UsageReport["total"]) => ({ ...counts, cacheShare: cacheShare(counts) ?? null });
  const entries = through.map(({ day, model, counts }) => ({ day, model, ...shown(counts) }));
  return { account, problem, throughCurlew: { days, entries, total: shown(total) } };
}
