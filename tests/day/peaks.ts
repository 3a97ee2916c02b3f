import { isAdmitted } from "../../packages/meter/ledger/entry.js";
import { openLedgerReader } from "../../packages/meter/ledger/index.js";

const MINUTE_MS = 60_000;
const MAX_ENTRIES = 1_000_000;

interface Amounts {
  tokens: number;
  requests: number;
}

/** The peak usage of a day, in the units of the limits. */
export interface Peaks {
  /** Maximum of a conversation. */
  conversation: Amounts;
  hour: Amounts;
  day: Amounts;
  /** Maximum of a client: concurrent requests, and requests per minute. */
  client: { concurrent: number; perMinute: number };
}

/** Computes from a ledger what limits would have counted. Assumes that the whole day was played within an hour. */
export async function readPeaks(ledgerFolder: string): Promise<Peaks> {
  const onProblem = (problem: unknown) => {
    throw problem;
  };
  const reader = await openLedgerReader(ledgerFolder, { onProblem });
  const entries = reader.entries({ limit: MAX_ENTRIES });
  const day = { tokens: 0, requests: 0 };
  const threads = new Map<string, Amounts>();
  const times = new Map<string, number[]>();
  for (const entry of entries) {
    const { thread, client, atMs, tokens } = entry;
    const sum = (tokens?.input ?? 0) + (tokens?.output ?? 0);
    const conversation = threads.get(thread ?? "") ?? { tokens: 0, requests: 0 };
    threads.set(thread ?? "", conversation);
    for (const amounts of [day, conversation]) {
      amounts.tokens += sum;
      if (isAdmitted(entry)) amounts.requests++;
    }
    times.set(client, [...(times.get(client) ?? []), atMs]);
  }
  const most = (amount: keyof Amounts) => Math.max(0, ...[...threads.values()].map((sums) => sums[amount]));
  const conduct = reader.conduct(0, Date.now() + 1);
  return {
    conversation: { tokens: most("tokens"), requests: most("requests") },
    hour: { ...day },
    day,
    client: {
      concurrent: Math.max(0, ...conduct.map(({ peakRequests }) => peakRequests)),
      perMinute: Math.max(0, ...[...times.values()].map(mostWithinMinute)),
    },
  };
}

function mostWithinMinute(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  let from = 0;
  let most = 0;
  for (const [at, timeMs] of sorted.entries()) {
    while (timeMs - (sorted[from] ?? 0) >= MINUTE_MS) from++;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

export function peaksText({ conversation, day, client }: Peaks): string {
  const amounts = ({ tokens, requests }: Amounts) =>
    `${tokens.toLocaleString("en")} tokens and ${requests.toLocaleString("en")} requests`;
  return [
    `Peaks: ${amounts(conversation)} in a conversation, ${amounts(day)} in the day,`,
    `${client.concurrent} requests at once, ${client.perMinute.toLocaleString("en")} within a minute`,
  ].join(" ");
}
