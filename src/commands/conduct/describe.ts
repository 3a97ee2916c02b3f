import type { Colors } from "../line/colors.js";
import { table } from "../terminal/table.js";
import type { SentIdentity } from "./identity.js";
import { type Habit, type KnownHabit, ownClients } from "./own-clients.js";
import { remarksOn } from "./remarks.js";
import type { ConductReport } from "./report.js";

const OWN = "its own";

/** What Cursor has seen, beside what its own clients do. */
export function describeConduct(report: ConductReport, colors: Colors): string {
  const { bold, dim } = colors;
  const rows = comparisons(report).map(([what, ours, habit]) => [what, ours, habit && known(ownClients[habit])]);
  const remarks = remarksOn(report).map((remark) => `- ${remark}\n`);
  return [
    `${bold(`What Cursor has seen on ${report.day}`)} (conduct: ${report.conduct}, backend: ${report.backend ?? "none"})\n`,
    table(
      ["", "HERE", "CURSOR'S OWN CLIENTS"],
      rows.map((row) => row.map((cell) => cell ?? "")),
      { dim },
    ),
    "\n",
    ...remarks,
    ...(report.problem === null ? [] : [`- A gateway could not start now: ${report.problem}\n`]),
  ].join("");
}

type Comparison = readonly [what: string, here: string, habit: Habit | undefined];

function comparisons({ seen, identities, heartbeatMs }: ConductReport): Comparison[] {
  const givenUp = Object.entries(seen.abandoned).filter(([, count]) => count > 0);
  const sum = givenUp.reduce((total, [, count]) => total + count, 0);
  return [
    ["requests", String(seen.requests), undefined],
    ["runs", String(seen.runs), "runs"],
    ["runs at once, at most", String(seen.peakRuns), "runsAtOnce"],
    ["requests at once, at most", String(seen.peakRequests), undefined],
    ["retries", String(seen.retries), "retries"],
    ["cancelled, client left", String(seen.cancelled), "cancelled"],
    ["given up while waiting", String(sum), "abandoned"],
    ...givenUp.map(([reason, count]): Comparison => [`  ${reason}`, String(count), undefined]),
    ...identities.flatMap((identity) => identityRows(identity, heartbeatMs)),
  ];
}

function identityRows(
  { backend, clientVersion, userAgent, hosts, isOfficial }: SentIdentity,
  heartbeatMs: number,
): Comparison[] {
  const of = (what: string) => `${backend}: ${what}`;
  const rows: Comparison[] = [[of("client version"), clientVersion ?? OWN, "clientVersion"]];
  if (isOfficial) return rows; // everything else about it is what Cursor's own clients do
  return [
    ...rows,
    [of("user agent"), userAgent ?? OWN, "userAgent"],
    [of("hosts"), hosts?.join(", ") ?? "the simulator", "hosts"],
    [of("heartbeats"), `every ${heartbeatMs / 1_000} s`, "heartbeats"],
  ];
}

function known(habit: KnownHabit | undefined): string {
  if (habit === undefined) return "unknown";
  const { does, sure, note } = habit;
  return `${does} (${sure}: ${note.page}, ${note.section.toLowerCase()})`;
}
