import { parseJson } from "../turn/read-json.js";
import type { CountedTokens, LedgerEntry } from "./entry.js";
import { type ReceivedRequest, readEntry, readPeaks, readReceived, readTokens } from "./read-entry.js";
import { sortable } from "./tables.js";

/** Text that stands in a log, perhaps as the bytes that are there. */
export type Text = string | Buffer;

/** A request that has ended. */
export interface EndedItem {
  readonly type: "ended";
  readonly key: string;
  readonly entry: LedgerEntry;
  /** The entry as it is written. */
  readonly text: Text;
  /** The line of the journal; undefined where there is no more to say. */
  readonly detailLine: Text | undefined;
  /** The most requests and runs that were open at once in its process since the item before. */
  readonly openRequests: number;
  readonly openRuns: number;
}

/** A run that was given up. */
export interface AbandonedItem {
  readonly type: "abandoned";
  /** The key of its last request. */
  readonly key: string;
  readonly reason: string;
  readonly tokens: CountedTokens;
}

/** A turn whose run waits for the client's results. If its process dies, it is booked as lost. */
export interface WaitingTurn {
  readonly type: "waiting";
  /** The key of the request that left the run waiting. */
  readonly key: string;
  readonly turnId: string;
  readonly round: number;
  /** Our own estimate of what all rounds so far took. */
  readonly tokens: CountedTokens;
}

/** What is booked. */
export type LogItem = EndedItem | AbandonedItem;

/** What stands in the first line of a log. */
export interface LogHead {
  readonly pid: number;
  /** The machine, and the part of it in which the process id is known. */
  readonly place: string;
  /** When the process began, as its system counts that; undefined where it cannot be asked. */
  readonly begun: string | undefined;
  /** The last rule about what is forgotten that this log has followed. */
  readonly rule: number;
}

/**
 * The key of an entry: entries are in the order of time, and two requests never have the same key. The id of the request would not
 * do, because clients may choose it.
 */
export function entryKey(atMs: number, unique: string): string {
  return sortable(atMs) + unique;
}

export function headLine({ pid, place, begun, rule }: LogHead): string {
  return `h\t${JSON.stringify([VERSION, pid, place, begun ?? null, rule])}\n`;
}

const VERSION = 1;

export function receivedLine(key: string, received: string): string {
  return `r\t${key}\t${received}\n`;
}

export function itemLine(item: LogItem): string {
  if (item.type === "abandoned") return abandonedLine(item);
  return `e\t${item.text}\t${item.detailLine ?? `${item.key}\t\n`}`;
}

function abandonedLine({ key, reason, tokens }: AbandonedItem): string {
  return `a\t${key}\t${JSON.stringify([reason, tokenList(tokens)])}\n`;
}

export function waitingLine({ key, turnId, round, tokens }: WaitingTurn): string {
  return `w\t${key}\t${JSON.stringify([turnId, round, tokenList(tokens)])}\n`;
}

function tokenList({ input, output, cacheRead, cacheWrite, reasoning, estimated }: CountedTokens): number[] {
  return [input, output, cacheRead, cacheWrite, reasoning, estimated ? 1 : 0];
}

export type LogLine =
  | LogItem
  | WaitingTurn
  | { type: "received"; key: string; received: ReceivedRequest }
  | { type: "head"; head: LogHead };

/** Undefined for a line that was not written to its end. */
export function readLine(line: string): LogLine | undefined {
  const [kind, first = "", second = "", detail] = line.split("\t");
  switch (kind) {
    case "h":
      return readHead(first);
    case "r": {
      const received = readReceived(second);
      return received && { type: "received", key: first, received };
    }
    case "e":
      return detail === undefined ? undefined : readEnded(first, second, detail);
    case "a":
      return readAbandoned(first, second);
    case "w":
      return readWaiting(first, second);
    default:
      return undefined;
  }
}

function readEnded(text: string, key: string, detail: string): EndedItem | undefined {
  const entry = readEntry(text);
  if (entry === undefined) return undefined;
  const detailLine = detail === "" ? undefined : `${key}\t${detail}\n`;
  return { type: "ended", key, entry, text, detailLine, ...readPeaks(detail) };
}

function readHead(text: string): LogLine | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list) || list[0] !== VERSION) return undefined;
  const [, pid, place, begun, rule] = list;
  if (typeof pid !== "number" || typeof place !== "string" || typeof rule !== "number") return undefined;
  return { type: "head", head: { pid, place, begun: typeof begun === "string" ? begun : undefined, rule } };
}

function readAbandoned(key: string, text: string): LogLine | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  const [reason] = list;
  const tokens = readTokens(list[1]);
  if (typeof reason !== "string" || tokens === null) return undefined;
  return { type: "abandoned", key, reason, tokens };
}

function readWaiting(key: string, text: string): LogLine | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  const [turnId, round] = list;
  const tokens = readTokens(list[2]);
  if (typeof turnId !== "string" || typeof round !== "number") return undefined;
  return tokens === null ? undefined : { type: "waiting", key, turnId, round, tokens };
}
