import { defaultCeilings, defaultClientLimits } from "../../packages/meter/spend/limits.js";
import type { Peaks } from "../day/peaks.js";

interface Row {
  readonly name: string;
  readonly peak: number;
  readonly limit: number;
  readonly beyond: "warns" | "refuses";
}

/** Every default limit with the peak of a day. */
export function defaultLimits(peaks: Peaks): Row[] {
  const spans = (["conversation", "hour", "day"] as const).flatMap((span) =>
    (["tokens", "requests"] as const).map((unit) => ({
      name: `${span}.${unit}`,
      peak: peaks[span][unit],
      limit: defaultCeilings[span][unit],
      beyond: "warns" as const,
    })),
  );
  const ofClient = (["concurrent", "perMinute"] as const).map((name) => ({
    name: `client.${name}`,
    peak: peaks.client[name],
    limit: defaultClientLimits[name],
    beyond: "refuses" as const,
  }));
  return [...spans, ...ofClient];
}

export function limitsTable(peaks: Peaks): string {
  const rows = defaultLimits(peaks).map(({ name, peak, limit, beyond }) => {
    const cells = [`\`${name}\``, whole(peak), whole(limit), `${Math.floor(limit / peak)} times`, beyond];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| Limit | Peak of the day | Default | | Beyond it |", "|---|---|---|---|---|", ...rows].join("\n");
}

function whole(count: number): string {
  return count.toLocaleString("en");
}
