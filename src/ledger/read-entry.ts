import { listField, parseJson } from "../turn/read-json.js";
import type { CountedTokens, JournalDetail, LedgerEntry } from "./entry.js";

export const INTERRUPTED = "interrupted";

/** What is known about a request when it has been received. */
export type ReceivedRequest = Pick<LedgerEntry, "id" | "atMs" | "client" | "caller" | "dialect" | "model">;

/** Undefined for a text that is no entry. */
export function readEntry(text: string): LedgerEntry | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list) || typeof list[0] !== "string" || typeof list[1] !== "number") return undefined;
  return {
    id: list[0],
    atMs: list[1],
    client: textOf(list[2]),
    caller: textOf(list[3]),
    dialect: textOf(list[4]),
    model: textOf(list[5]),
    backend: textOrNull(list[6]),
    thread: textOrNull(list[7]),
    continuity: textOrNull(list[8]),
    cacheMiss: textOrNull(list[9]),
    sentAgainTokens: numberOf(list[10]),
    turnId: textOrNull(list[11]) ?? list[0],
    round: numberOf(list[12]),
    context: readTokens(list[13]),
    tokens: readTokens(list[14]),
    runs: numberOf(list[15]),
    retries: numberOf(list[16]),
    sentBytes: numberOf(list[17]),
    receivedBytes: numberOf(list[18]),
    toolRounds: numberOf(list[19]),
    firstByteMs: numberOrNull(list[20]),
    toolsMs: numberOf(list[21]),
    totalMs: numberOrNull(list[22]),
    outcome: textOrNull(list[23]) ?? INTERRUPTED,
    message: textOrNull(list[24]),
    abandoned: textOrNull(list[25]),
  };
}

/** The entry of a request whose process ended before it did. */
export function interruptedEntry(record: ReceivedRequest): LedgerEntry {
  return {
    ...record,
    backend: null,
    thread: null,
    continuity: null,
    cacheMiss: null,
    sentAgainTokens: 0,
    turnId: record.id,
    round: 0,
    context: null,
    tokens: null,
    runs: 0,
    retries: 0,
    sentBytes: 0,
    receivedBytes: 0,
    toolRounds: 0,
    firstByteMs: null,
    toolsMs: 0,
    totalMs: null,
    outcome: INTERRUPTED,
    message: "The process of the gateway ended before the request did.",
    abandoned: null,
  };
}

/** Undefined for a text that does not say what was received. It is the beginning of an entry. */
export function readReceived(text: string): ReceivedRequest | undefined {
  const entry = readEntry(text);
  if (entry === undefined) return undefined;
  const { id, atMs, client, caller, dialect, model } = entry;
  return { id, atMs, client, caller, dialect, model };
}

/** Undefined for a text that is no detail. */
export function readDetail(id: string, text: string): JournalDetail | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  const [asked, answered] = listField(list, "12");
  const pauses = listField(list, "7").map((pause) => ({
    startedMs: numberOf(listField([pause], "0")[0]),
    endedMs: numberOf(listField([pause], "0")[1]),
    calls: numberOf(listField([pause], "0")[2]),
  }));
  return {
    id,
    stream: list[0] === 1,
    askedModel: textOf(list[1]),
    bodyBytes: numberOf(list[2]),
    replyBytes: numberOf(list[3]),
    status: numberOrNull(list[4]),
    plannedMs: numberOrNull(list[5]),
    openedMs: numberOrNull(list[6]),
    pauses,
    clientToolsMs: numberOf(list[8]),
    clientCalls: numberOf(list[9]),
    warnings: listField(list, "10").filter((warning) => typeof warning === "string"),
    joined: textOrNull(list[11]),
    texts: typeof asked === "string" && typeof answered === "string" ? { asked, answered } : null,
  };
}

/** How many requests and runs were open at once: see `writeDetail`. */
export function readPeaks(detail: string): { openRequests: number; openRuns: number } {
  const list = parseJson(detail);
  const at = (index: number) => (Array.isArray(list) ? numberOf(list[index]) : 0);
  return { openRequests: at(13), openRuns: at(14) };
}

export function readTokens(list: unknown): CountedTokens | null {
  if (!Array.isArray(list)) return null;
  return {
    input: numberOf(list[0]),
    output: numberOf(list[1]),
    cacheRead: numberOf(list[2]),
    cacheWrite: numberOf(list[3]),
    reasoning: numberOf(list[4]),
    estimated: list[5] === 1,
  };
}

export function numberOf(value: unknown): number {
  return numberOrNull(value) ?? 0;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
