import { createMetrics } from "../../packages/meter/metrics/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { table } from "./tables.js";

/** Every metric family of a gateway with its help text. */
export function metricsTable(): string {
  const metrics = createMetrics({
    gatewayId: "guide",
    build: { version: "", backend: "" },
    names: { backends: [], isModel: () => false },
    read: () => ({
      openRuns: 0,
      parkedRuns: 0,
      drift: {},
      lostLogLines: 0,
      store: { lineages: 0, bytes: 0 },
    }),
    clock: new ManualClock(),
    onProblem: () => {},
  });
  const text = metrics.text();
  metrics.close();
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)$/gm)].map(([, name, help = "", type = ""]) => {
    return [`\`${name}\``, type, help];
  });
  return table(["Metric", "Type", "Meaning"], rows);
}
