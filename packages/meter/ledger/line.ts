import { recordedClient } from "@curlew/gateway/turn/client-name.js";
import type { RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { isObject, type JsonObject, parseJson } from "@curlew/gateway/turn/read-json.js";
import { sideRequests } from "@curlew/gateway/turn/side-request.js";
import { type CountedTokens, countedTokens, type JournalDetail, type LedgerEntry } from "./entry.js";
import type { FileOwner } from "./owner.js";

const VERSION = 1;
const MAX_NAME_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_WARNINGS = 20;
const MAX_TEXT_LENGTH = 100_000;
const TIME_DIGITS = 13;

/** The first line of a file. */
export interface Head extends FileOwner {
  readonly t: "head";
  readonly version: number;
  /** Start of its day, and the time zone of that day. */
  readonly startMs: number;
  readonly zone: string;
  /** Number of the last forget rule that existed when the file was created. */
  readonly rule: number;
}

/** A request was received: from here on it has an entry, whatever happens. */
export interface Received
  extends Pick<LedgerEntry, "id" | "atMs" | "client" | "isNamedKey" | "caller" | "dialect" | "model"> {
  readonly t: "received";
  readonly key: string;
}

/** A run was opened for it, or a waiting one continues. If the process dies now, this is all that is known about it. */
export interface Opened
  extends Pick<LedgerEntry, "account" | "turnId" | "round" | "bringsWords" | "side" | "thread" | "model">,
    Pick<LedgerEntry, "backend" | "continuity" | "runs"> {
  readonly t: "opened";
  readonly key: string;
  /** Our own estimate of the run's input, and of its part in the model's cache. */
  readonly input: number;
  readonly cached: number;
}

/** Its run waits for the client's results. Carries our own estimate for all rounds of the turn so far. */
export interface Paused {
  readonly t: "paused";
  readonly key: string;
  /** The earlier request of the turn that had left the run waiting. */
  readonly after?: string | undefined;
  readonly tokens: CountedTokens;
}

export interface Ended {
  readonly t: "ended";
  readonly key: string;
  readonly after?: string | undefined;
  /** It has no `received` line. */
  readonly isAlone?: boolean | undefined;
  readonly entry: LedgerEntry;
  readonly detail: unknown;
  /** Peak number of open requests and runs in this process since the previous line. */
  readonly openRequests: number;
  readonly openRuns: number;
}

/** The run that this request left waiting was given up. */
export interface Abandoned {
  readonly t: "abandoned";
  readonly key: string;
  readonly reason: string;
  readonly tokens: CountedTokens;
}

/** The run that this request left waiting continues in the file of another day. */
export interface Moved {
  readonly t: "moved";
  readonly key: string;
}

export type Line = Received | Opened | Paused | Ended | Abandoned | Moved;

/** A time as text that sorts like the number. */
export function sortable(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(TIME_DIGITS, "0");
}

export function timeOfKey(key: string): number {
  return Number(key.slice(0, TIME_DIGITS));
}

export function headLine(owner: FileOwner, { startMs, rule }: Pick<Head, "startMs" | "rule">): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const head: Head = { t: "head", version: VERSION, ...owner, startMs, zone, rule };
  return `${JSON.stringify(head)}\n`;
}

export function writeLine(line: Line): string {
  return `${JSON.stringify(line, withoutDefaults)}\n`;
}

/** Omits empty values, which halves the length of entries. */
function withoutDefaults(name: string, value: unknown): unknown {
  const isDefault = value === null || value === "" || (value === 0 && !name.endsWith("Ms"));
  return isDefault ? undefined : value;
}

/** Undefined unless the line is a header of this version. */
export function readHead(text: string): Head | undefined {
  const read = recordOf(parseJson(text));
  if (read.t !== "head" || read.version !== VERSION) return undefined;
  return {
    t: "head",
    version: VERSION,
    pid: numberOf(read.pid),
    place: textOf(read.place),
    begun: typeof read.begun === "string" ? read.begun : undefined,
    startMs: numberOf(read.startMs),
    zone: textOf(read.zone),
    rule: numberOf(read.rule),
  };
}

/** Undefined for a torn or unknown line. */
export function readLine(text: string): Line | undefined {
  const read = recordOf(parseJson(text));
  const key = textOf(read.key);
  if (key === "") return undefined;
  const after = typeof read.after === "string" ? read.after : undefined;
  switch (read.t) {
    case "received": {
      const { id, atMs, client, isNamedKey, caller, dialect, model } = readEntry(read);
      return { t: "received", key, id, atMs, client, isNamedKey, caller, dialect, model };
    }
    case "opened": {
      const { account, turnId, round, bringsWords, side, thread, model, backend, continuity, runs } = readEntry(read);
      const run = { account, turnId, round, bringsWords, side, thread, model, backend, continuity, runs };
      return { t: "opened", key, ...run, input: numberOf(read.input), cached: numberOf(read.cached) };
    }
    case "paused": {
      const tokens = readTokens(read.tokens);
      return tokens === null ? undefined : { t: "paused", key, after, tokens };
    }
    case "ended": {
      const { entry, detail, openRequests, openRuns } = read;
      const peaks = { openRequests: numberOf(openRequests), openRuns: numberOf(openRuns) };
      return { t: "ended", key, after, isAlone: read.isAlone === true, entry: readEntry(entry), detail, ...peaks };
    }
    case "abandoned": {
      const tokens = readTokens(read.tokens);
      return tokens === null ? undefined : { t: "abandoned", key, reason: textOf(read.reason), tokens };
    }
    case "moved":
      return { t: "moved", key };
    default:
      return undefined;
  }
}

export function readEntry(value: unknown): LedgerEntry {
  const read = recordOf(value);
  const id = textOf(read.id);
  const atMs = numberOf(read.atMs);
  const runs = numberOf(read.runs);
  const round = numberOf(read.round);
  const thread = textOrNull(read.thread);
  // Earlier versions did not record whether a request brought words. Only the first request of a turn usually does.
  const { bringsWords = round === 0 && thread !== null } = read;
  const client = textOf(read.client);
  // Nor that a client is the name of a key, which no product with its version can be.
  const { isNamedKey = textOf(read.caller) !== "" && recordedClient(client) === client } = read;
  return {
    id,
    atMs,
    client: recordedClient(client),
    isNamedKey: isNamedKey === true,
    caller: textOf(read.caller),
    account: textOf(read.account),
    dialect: textOf(read.dialect),
    model: textOf(read.model),
    backend: textOrNull(read.backend),
    thread,
    continuity: textOrNull(read.continuity),
    cacheMiss: textOrNull(read.cacheMiss),
    sentAgainTokens: numberOf(read.sentAgainTokens),
    turnId: textOrNull(read.turnId) ?? id,
    round,
    bringsWords: bringsWords === true,
    side: sideRequests.find((side) => side === read.side) ?? null,
    turnStartedMs: numberOrNull(read.turnStartedMs) ?? atMs,
    turnRuns: numberOrNull(read.turnRuns) ?? runs,
    context: readTokens(read.context),
    tokens: readTokens(read.tokens),
    runs,
    retries: numberOf(read.retries),
    sentBytes: numberOf(read.sentBytes),
    receivedBytes: numberOf(read.receivedBytes),
    toolRounds: numberOf(read.toolRounds),
    firstByteMs: numberOrNull(read.firstByteMs),
    toolsMs: numberOf(read.toolsMs),
    totalMs: numberOrNull(read.totalMs),
    outcome: textOrNull(read.outcome) ?? "interrupted",
    message: textOrNull(read.message),
    abandoned: textOrNull(read.abandoned),
  };
}

function readTokens(value: unknown): CountedTokens | null {
  if (!isObject(value)) return null;
  return {
    input: numberOf(value.input),
    output: numberOf(value.output),
    cacheRead: numberOf(value.cacheRead),
    cacheWrite: numberOf(value.cacheWrite),
    reasoning: numberOf(value.reasoning),
    estimated: value.estimated === true,
  };
}

export function readDetail(id: string, read: unknown): JournalDetail | undefined {
  if (!isObject(read)) return undefined;
  const texts = recordOf(read.texts);
  const pauses = listOf(read.pauses).map(recordOf);
  return {
    id,
    stream: read.stream === true,
    userAgent: textOf(read.userAgent),
    askedModel: textOf(read.askedModel),
    bodyBytes: numberOf(read.bodyBytes),
    replyBytes: numberOf(read.replyBytes),
    status: numberOrNull(read.status),
    plannedMs: numberOrNull(read.plannedMs),
    openedMs: numberOrNull(read.openedMs),
    pauses: pauses.map(({ startedMs, endedMs, calls }) => ({
      startedMs: numberOf(startedMs),
      endedMs: numberOf(endedMs),
      calls: numberOf(calls),
    })),
    clientToolsMs: numberOf(read.clientToolsMs),
    clientCalls: numberOf(read.clientCalls),
    warnings: listOf(read.warnings).filter((warning) => typeof warning === "string"),
    joined: textOrNull(read.joined),
    texts: read.texts == null ? null : { asked: textOf(texts.asked), answered: textOf(texts.answered) },
  };
}

export function recordOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: unknown): number {
  return numberOrNull(value) ?? 0;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function entryOf(record: RequestRecord, endedMs: number): LedgerEntry {
  const { startedMs, outcome } = record;
  return {
    id: record.requestId,
    atMs: startedMs,
    client: nameOf(record.client),
    isNamedKey: record.isNamedKey,
    caller: record.caller,
    account: record.account,
    dialect: record.dialect,
    model: nameOf(record.model ?? record.askedModel),
    backend: record.backend ?? null,
    thread: record.thread ?? null,
    continuity: record.continuity ?? null,
    cacheMiss: record.cacheMiss ?? null,
    sentAgainTokens: record.sentAgainTokens,
    turnId: record.turnId,
    round: record.round,
    bringsWords: record.bringsWords,
    side: record.side ?? null,
    turnStartedMs: record.turnStartedMs,
    turnRuns: record.earlierRuns + record.runs,
    context: countedTokens(record.usage),
    tokens: countedTokens(record.turnUsage),
    runs: record.runs,
    retries: record.retries,
    sentBytes: record.sentBytes,
    receivedBytes: record.receivedBytes,
    toolRounds: record.pauses.length + (record.clientCalls > 0 ? 1 : 0),
    firstByteMs: since(startedMs, record.firstByteMs),
    toolsMs: toolsMs(record),
    totalMs: since(startedMs, endedMs),
    outcome,
    message: record.error === undefined ? null : record.error.message.slice(0, MAX_MESSAGE_LENGTH),
    abandoned: null,
  };
}

function toolsMs({ pauses, clientToolsMs }: RequestRecord): number {
  let sum = clientToolsMs;
  for (const { startedMs, endedMs } of pauses) sum += Math.max(0, endedMs - startedMs);
  return sum;
}

/** Never negative, even if the clock was set back meanwhile. */
function since(startMs: number, ms: number | undefined): number | null {
  return ms === undefined ? null : Math.max(0, ms - startMs);
}

/** Truncates a name: clients may send any length. */
export function nameOf(name: string): string {
  return name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH) : name;
}

/** What an `ended` line carries besides the entry. */
export function detailOf(record: RequestRecord, keepsTexts: boolean): Omit<JournalDetail, "id"> {
  const { startedMs, pauses, warnings = [], texts } = record;
  return {
    stream: record.stream,
    userAgent: record.userAgent,
    askedModel: nameOf(record.askedModel),
    bodyBytes: record.bodyBytes,
    replyBytes: record.bytes,
    status: record.status ?? null,
    plannedMs: since(startedMs, record.plannedMs),
    openedMs: since(startedMs, record.openedMs),
    pauses: pauses.map((pause) => ({
      startedMs: pause.startedMs - startedMs,
      endedMs: pause.endedMs - startedMs,
      calls: pause.calls,
    })),
    clientToolsMs: record.clientToolsMs,
    clientCalls: record.clientCalls,
    warnings: warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, MAX_MESSAGE_LENGTH)),
    joined: record.joined ?? null,
    texts:
      keepsTexts && texts !== undefined
        ? { asked: texts.asked.slice(0, MAX_TEXT_LENGTH), answered: texts.answered.slice(0, MAX_TEXT_LENGTH) }
        : null,
  };
}
