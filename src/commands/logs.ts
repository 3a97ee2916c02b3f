import { setTimeout as sleep } from "node:timers/promises";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { EntryFilter, LedgerEntry, LedgerReader } from "../ledger/index.js";
import { findNeighbours } from "../why/index.js";
import { describeRequest } from "./journal/describe-request.js";
import { findRequest } from "./journal/find-request.js";
import { follow, MAX_NEWEST } from "./journal/follow.js";
import { withJournal } from "./journal/open-journal.js";
import { requestLines } from "./journal/request-line.js";
import { sinceMs } from "./journal/since.js";
import { colorsFor } from "./line/colors.js";
import { CommandFailure } from "./line/command-failure.js";
import { defineCommand } from "./line/definition.js";
import { stopSignal } from "./line/stop-signal.js";
import { wholeNumber } from "./line/whole-number.js";
import { harmlessJson } from "./terminal/harmless.js";

const MAX_LINES = 100_000;
const NO_SUCH = "No matching requests.\n";
const NOTHING_YET = "No requests yet.\n";

export const logs = defineCommand({
  examples: [
    ["curlew logs -f", "follow requests as they end"],
    ["curlew logs --failed --since 1h", "what went wrong lately"],
    ["curlew logs 3f2a9c01", "one request with its timeline"],
  ],
  args: {
    id: { type: "positional", required: false, description: "One request, by its id or the beginning of it" },
    follow: {
      type: "boolean",
      alias: "f",
      description: "Show requests as they finish (for the log of a service: curlew service logs)",
    },
    lines: { type: "string", alias: "n", default: "20", description: "How many requests to show", valueHint: "n" },
    failed: { type: "boolean", description: "Only requests that went wrong" },
    client: { type: "string", description: "Only requests of this client", valueHint: "name" },
    model: { type: "string", description: "Only requests to this model", valueHint: "name" },
    since: { type: "string", description: "Only requests of the last 90s, 30m, 1h or 7d", valueHint: "time" },
    json: { type: "boolean", description: "Print JSON, one line for each request" },
    ...settingArgs([]),
  },
  async run({ args }) {
    const { id, json: wantsJson = false, follow: wantsMore = false } = args;
    if (id !== undefined && wantsMore) throw new CommandFailure(2, "--follow shows all requests; leave out the id.");
    const filter = {
      ...(args.failed && { isFailed: true }),
      ...(args.client !== undefined && { client: args.client }),
      ...(args.model !== undefined && { model: args.model }),
      ...(args.since !== undefined && { fromMs: sinceMs("--since", args.since, Date.now()) }),
    };
    const lines = wholeNumber("--lines", args.lines, wantsMore ? 0 : 1, MAX_LINES);
    const { settings } = loadFrom(args, []);
    await withJournal(settings, async (reader) => {
      if (id !== undefined) await showRequest(reader, id, wantsJson);
      else await showRequests(reader, { filter, lines, wantsJson, wantsMore });
    });
  },
});

async function showRequest(reader: LedgerReader, id: string, wantsJson: boolean): Promise<void> {
  const entry = findRequest(reader, id);
  const { turn } = await findNeighbours(reader, entry);
  const requests = turn.map((each) => ({ entry: each, detail: reader.detail(each.id, each.atMs) }));
  const request = requests.find((each) => each.entry.id === entry.id) ?? { entry, detail: reader.detail(entry.id) };
  if (wantsJson) {
    process.stdout.write(`${harmlessJson({ ...request, turn: requests })}\n`);
    return;
  }
  const { stdout } = process;
  const columns = stdout.isTTY ? stdout.columns : undefined;
  stdout.write(describeRequest(request, requests, { colors: colorsFor(stdout), columns }));
}

interface Shown {
  readonly filter: Omit<EntryFilter, "limit">;
  readonly lines: number;
  readonly wantsJson: boolean;
  readonly wantsMore: boolean;
}

async function showRequests(reader: LedgerReader, { filter, lines, wantsJson, wantsMore }: Shown): Promise<void> {
  const { stdout } = process;
  const newest = reader.entries({ ...filter, limit: wantsMore ? Math.max(lines, MAX_NEWEST) : lines });
  const shown = newest.slice(0, lines).toReversed();
  const line = wantsJson ? (entry: LedgerEntry) => `${harmlessJson(entry)}\n` : requestLines(stdout);
  if (shown.length > 0 || wantsJson || wantsMore) stdout.write(shown.map(line).join(""));
  else stdout.write(Object.keys(filter).length > 0 ? NO_SUCH : NOTHING_YET);
  if (!wantsMore) return;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  void stopSignal().then(leave);
  stdout.once("error", leave); // its reader has seen enough
  const { signal } = leaving;
  const wait = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const onEnded = (entry: LedgerEntry) => void stdout.write(line(entry));
  await follow({ reader, filter, told: newest, onEnded, wait, signal });
}
