import type { Colors } from "../line/colors.js";
import { fittedRows, table } from "../terminal/table.js";
import type { SentIdentity } from "./identity.js";
import { type Habit, type KnownHabit, ownClients } from "./own-clients.js";
import { remarksOn } from "./remarks.js";
import type { ConductReport } from "./report.js";

const OWN = "its own";

/** What Cursor has seen, beside what its own clients do. */
export function describeConduct(report: ConductReport, { bold, dim }: Colors, columns: number): string {
  const { day, conduct, backend, problem } = report;
  const rows = comparisons(report).map(([what, here, habit]) => [
    what,
    here,
    ...(habit ? known(ownClients[habit]) : []),
  ]);
  const names = ["", "HERE", "CURSOR'S OWN CLIENTS", "SURE", "NOTE"];
  const full = rows.map((row) => names.map((_, column) => row[column] ?? ""));
  // A narrow terminal goes without the sources.
  const [head = [], ...fitting] = fittedRows([names, ...full], columns, [4, 3]);
  const remarks = remarksOn(report);
  if (problem !== null) remarks.push(`A gateway could not start now: ${problem}`);
  return [
    `${bold(`What Cursor has seen on ${day}`)} (conduct: ${conduct}, backend: ${backend ?? "none"})\n`,
    table(head, fitting, { dim }),
    head.includes("NOTE") ? dim("The notes are in docs/protocol; wire.md says what their certainty means.\n\n") : "\n",
    ...remarks.map((remark) => `- ${remark}\n`),
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
  const [first = "", ...others] = hosts ?? ["the simulator"];
  return [
    ...rows,
    [of("user agent"), userAgent ?? OWN, "userAgent"],
    [of("hosts"), first, "hosts"],
    ...others.map((host): Comparison => ["", host, undefined]),
    [of("heartbeats"), `every ${heartbeatMs / 1_000} s`, "heartbeats"],
  ];
}

function known(habit: KnownHabit | undefined): string[] {
  if (habit === undefined) return ["unknown"];
  const { does, sure, note } = habit;
  return [does, sure, `${note.page.replace("docs/protocol/", "")}, ${note.section.toLowerCase()}`];
}
