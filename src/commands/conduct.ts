import { ledgerFolders } from "../app/prepare/own-files.js";
import { loadFrom, settingArgs, upstreamSettings } from "../config/flags.js";
import { openLedgerReader } from "../ledger/index.js";
import { describeConduct } from "./conduct/describe.js";
import { ownClients } from "./conduct/own-clients.js";
import { remarksOn } from "./conduct/remarks.js";
import { type ConductReport, readConduct } from "./conduct/report.js";
import { colorsFor } from "./line/colors.js";
import { defineCommand } from "./line/definition.js";
import { columnsOf, folded } from "./line/folded.js";

const conductSettings = [...upstreamSettings, "leaseMs"] as const;

export const conduct = defineCommand({
  examples: [["curlew conduct", "how many calls Cursor has seen, and when"]],
  args: {
    json: { type: "boolean", description: "Print JSON" },
    ...settingArgs(conductSettings),
  },
  async run({ args }) {
    const { settings } = loadFrom(args, conductSettings);
    const ledger = await openLedgerReader(ledgerFolders(settings).folder);
    try {
      const report = await readConduct(settings, ledger, Date.now());
      const shown = args.json
        ? `${JSON.stringify(toJson(report), null, 2)}\n`
        : folded(process.stdout, describeConduct(report, colorsFor(process.stdout), columnsOf(process.stdout)), 2);
      process.stdout.write(shown);
    } finally {
      await ledger.close();
    }
    return 0;
  },
});

/** What is unknown about Cursor's own clients is null. */
function toJson({ heartbeatMs, leaseMs, ...report }: ConductReport): object {
  const habits = Object.entries(ownClients).map(([name, habit]) => {
    if (habit === undefined) return [name, null];
    const { does, sure, note } = habit;
    return [name, { does, sure, note: `${note.page}, ${note.section.toLowerCase()}` }];
  });
  return {
    ...report,
    leaseMs,
    heartbeatMs,
    ownClients: Object.fromEntries(habits),
    remarks: remarksOn({ heartbeatMs, leaseMs, ...report }),
  };
}
