import { harmlessLine } from "@curlew/gateway/system/shown-on.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import {
  type EntryFilter,
  findEntry,
  isFailure,
  type LedgerEntry,
  type LedgerReader,
} from "@curlew/meter/ledger/index.js";
import { chooseTurn, explain, findNeighbours } from "@curlew/meter/why/index.js";
import { loadFrom, settingArgs } from "../config/flags.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, harmlessJson } from "../terminal/print.js";
import { createRequestLines, type ShownRequest } from "../terminal/request-line.js";
import { describeRequest } from "./journal/describe-request.js";
import { follow, MAX_NEWEST, untilStopped } from "./journal/follow.js";
import { withLedger } from "./journal/with-ledger.js";
import { defineCommand, flag, option, wholeNumber, word } from "./line/definition.js";

const MAX_LINES = 100_000;
/** How many recent requests `--why` considers. */
const RECENT_REQUESTS = 200;

export const logs = defineCommand({
  examples: [
    ["curlew logs -f", "follow requests as they end"],
    ["curlew logs --failed --since 1h", "what went wrong lately"],
    ["curlew logs 3f2a9c01", "one with its timeline, and what made it expensive"],
    ["curlew logs --why", "the same for the most expensive turn"],
  ],
  args: {
    id: word("One request, by its id or the beginning of it"),
    follow: flag("Show requests as they finish (for the log of a service: curlew service logs)", { alias: "f" }),
    why: flag(`The coldest or most expensive turn of the last ${RECENT_REQUESTS} requests, or since --since`),
    lines: { type: "string", alias: "n", default: "20", description: "How many requests to show", valueHint: "n" },
    failed: flag("Only requests that went wrong"),
    client: option("name", "Only requests of this client"),
    model: option("name", "Only requests to this model"),
    since: option("time", "Only requests of the last 90s, 30m, 1h or 7d"),
    json: flag("Print JSON, one line for each request"),
    ...settingArgs([]),
  },
  async run({ args, machine }) {
    const { id, json: wantsJson = false, follow: wantsMore = false } = args;
    if (wantsMore && (id !== undefined || args.why)) {
      throw new CommandFailure(2, `--follow shows all requests; leave out ${id === undefined ? "--why" : "the id"}.`);
    }
    const filter = {
      ...(args.failed && { isFailed: true }),
      ...(args.client !== undefined && { client: args.client }),
      ...(args.model !== undefined && { model: args.model }),
      ...(args.since !== undefined && { fromMs: sinceMs("--since", args.since, Date.now()) }),
    };
    const lines = wholeNumber("--lines", args.lines, wantsMore ? 0 : 1, MAX_LINES);
    const { settings } = loadFrom(args, machine);
    const show = async (reader: LedgerReader) => {
      if (id !== undefined) return showRequest(machine, reader, await findRequest(reader, id), null, wantsJson);
      if (!args.why) return showRequests(machine, reader, { filter, lines, wantsJson, wantsMore });
      const dearest = args.since === undefined ? [] : reader.dearest(filter);
      const chosen = chooseTurn(reader.entries({ ...filter, limit: RECENT_REQUESTS }), dearest);
      if (chosen !== undefined) return showRequest(machine, reader, chosen.entry, chosen.because, wantsJson);
      throw new CommandFailure(1, "No matching requests yet, so there is nothing to explain.");
    };
    const warn = (problem: unknown) => void machine.stderr.write(`curlew: ${reasonOf(problem)}\n`);
    await withLedger(settings, warn, show);
  },
});

/** @param because why this request was chosen; null if the user named it */
async function showRequest(
  { stdout, env }: CommandMachine,
  reader: LedgerReader,
  entry: LedgerEntry,
  because: string | null,
  wantsJson: boolean,
) {
  const neighbours = await findNeighbours(reader, entry);
  const turn = neighbours.turn.map((each) => ({ entry: each, detail: reader.detail(each) }));
  const request = turn.find((each) => each.entry.id === entry.id) ?? { entry, detail: reader.detail(entry) };
  const why = explain(entry, request.detail, neighbours);
  if (wantsJson) {
    stdout.write(`${harmlessJson({ ...request, turn, because, why })}\n`);
    return;
  }
  const columns = stdout.isTTY ? stdout.columns : undefined;
  if (because !== null) stdout.write(`${because}\n\n`);
  stdout.write(describeRequest({ request, turn, why }, { colors: colorsFor(stdout, env), columns }));
}

interface Shown {
  readonly filter: Omit<EntryFilter, "limit">;
  readonly lines: number;
  readonly wantsJson: boolean;
  readonly wantsMore: boolean;
}

async function showRequests(
  machine: CommandMachine,
  reader: LedgerReader,
  { filter, lines, wantsJson, wantsMore }: Shown,
): Promise<void> {
  const { stdout } = machine;
  const newest = reader.entries({ ...filter, limit: wantsMore ? Math.max(lines, MAX_NEWEST) : lines });
  const shown = newest.slice(0, lines).toReversed();
  const line = wantsJson ? (entry: LedgerEntry) => `${harmlessJson(entry)}\n` : requestLines(machine);
  if (shown.length > 0 || wantsJson || wantsMore) stdout.write(shown.map(line).join(""));
  else stdout.write(Object.keys(filter).length > 0 ? "No matching requests.\n" : "No requests yet.\n");
  if (!wantsMore) return;
  const onEnded = (entry: LedgerEntry) => void stdout.write(line(entry));
  await follow({ reader, filter, told: newest, onEnded, ...untilStopped(machine) });
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A past moment: `1h` is an hour before now. @throws {CommandFailure} The text is not such a time. */
export function sinceMs(option: string, text: string, nowMs: number): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs !== undefined) return nowMs - Number(count) * unitMs;
  throw new CommandFailure(2, `${option} must be a time such as 90s, 30m, 1h or 7d, not ${JSON.stringify(text)}.`);
}

const MAX_OUTCOME = 24;

/** One line for each request of the ledger, as wide as the terminal. Each ends with a line break. */
export function requestLines({ stdout, env }: CommandMachine): (entry: LedgerEntry) => string {
  const columns = () => (stdout.isTTY ? stdout.columns : undefined);
  const line = createRequestLines({ colors: colorsFor(stdout, env), columns, hasDay: true });
  return (entry) => line({ ...entry, tokens: entry.tokens ?? entry.context, verdict: verdictOf(entry.outcome) });
}

function verdictOf(outcome: string): ShownRequest["verdict"] {
  if (isFailure(outcome)) return { level: "error", text: harmlessLine(outcome, MAX_OUTCOME) };
  return outcome === "client-left" ? { level: "info", text: "canceled by the client" } : null;
}

/** How many of the newest requests can be found by an id prefix. */
const MAX_LOOKED_THROUGH = 10_000;
const MIN_BEGINNING = 4;
const MAX_NAMED = 5;

/** The request with this id, or the only one whose id begins with it. @throws {CommandFailure} None, or several. */
export async function findRequest(reader: LedgerReader, given: string): Promise<LedgerEntry> {
  const exact = await findEntry(reader, given);
  if (exact !== undefined) return exact;
  const shown = harmlessLine(JSON.stringify(given), 140);
  if (given.length < MIN_BEGINNING) {
    const need = `The beginning of an id needs ${MIN_BEGINNING} characters.`;
    throw new CommandFailure(1, `There is no request ${shown}. ${need}`);
  }
  const found = reader.entries({ limit: MAX_LOOKED_THROUGH }).filter(({ id }) => id.startsWith(given));
  const [only] = found;
  if (only === undefined) {
    throw new CommandFailure(1, `No request has an id that begins with ${shown}. See: curlew logs`);
  }
  if (found.length > 1) {
    const ids = found.slice(0, MAX_NAMED).map(({ id }) => `  ${id}`);
    throw new CommandFailure(1, [`The ids of ${found.length} requests begin with ${shown}:`, ...ids].join("\n"));
  }
  return only;
}
