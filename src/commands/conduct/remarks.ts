import type { ConductReport } from "./report.js";

/** What stands out, in sentences, each with what can be done about it. */
export function remarksOn(report: ConductReport): string[] {
  const { seen, conduct, leaseMs } = report;
  if (seen.runs === 0) return ["No run was started at Cursor today."];
  return [
    ...manyRuns(seen),
    ...retried(report),
    ...Object.entries(seen.abandoned).flatMap(([reason, count]) =>
      count > 0 ? [(abandoned[reason] ?? otherwise(reason))(count, leaseMs)] : [],
    ),
    ...left(seen),
    ...(conduct === "careful" && seen.peakRuns > CAREFUL_RUNS
      ? [`${seen.peakRuns} runs at once: careful conduct allows ${CAREFUL_RUNS}, so they were started without it.`]
      : []),
    ...identities(report),
  ];
}

const CAREFUL_RUNS = 2;

function manyRuns({ requests, runs, retries }: ConductReport["seen"]): string[] {
  const first = runs - retries;
  if (first <= requests) return [];
  return [
    `More runs than requests: ${first - requests} answers were asked for a second time, because they did not fit the format or the tool ` +
      "choice of a request, or because Cursor could not go on from where it was.",
  ];
}

function retried({ seen: { retries, runs }, conduct }: ConductReport): string[] {
  if (retries === 0) return [];
  const advice = conduct === "careful" ? "They were started without careful conduct." : "Careful conduct has none.";
  return [
    `Retries: ${retries} of ${runs} runs today. Cursor's CLI waits 1 s and then longer each time, as Curlew does; how often it tries ` +
      `again is unknown. ${advice}`,
  ];
}

type Sentence = (count: number, leaseMs: number) => string;

const abandoned: Readonly<Record<string, Sentence>> = {
  "lease-expired": (count, leaseMs) =>
    `${runs(count)} waited for results that did not come within ${leaseMs / 1_000} s. Clients that stop while a tool runs leave such ` +
    "runs behind; a shorter leaseMs ends them sooner.",
  superseded: (count) => `${runs(count)} waited for results, and the client went on without them, by another message.`,
  lost: (count) => `${runs(count)} waited for results and ended at Cursor or on the way there.`,
  shutdown: (count) => `${runs(count)} waited for results when a gateway was stopped.`,
  stopped: (count) => `${runs(count)} waited for results when you ended all runs.`,
};

function otherwise(reason: string): Sentence {
  return (count) => `${runs(count)} waited for results and ended early (${reason}).`;
}

function runs(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}

function left({ cancelled }: ConductReport["seen"]): string[] {
  if (cancelled === 0) return [];
  const who = cancelled === 1 ? "1 client left" : `${cancelled} clients left`;
  return [`${who} before the reply was complete, and Curlew cancelled their runs at once.`];
}

function identities({ identities: sent }: ConductReport): string[] {
  return sent.flatMap(({ backend, isOfficial, clientVersion }) =>
    isOfficial || backend === "simulator"
      ? []
      : [
          `On the ${backend} backend, Curlew names itself ${clientVersion}: to Cursor it is one of Cursor's own clients.`,
        ],
  );
}
