import type { RequestRecord } from "../events/index.js";
import type { Usage } from "../turn/event.js";
import type { CountedTokens, LedgerEntry } from "./entry.js";
import { JsonBytes } from "./json-bytes.js";

const MAX_NAME_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_WARNINGS = 20;
const MAX_TEXT_LENGTH = 100_000;

/** The entry of a request that has ended. */
export function entryOf(record: RequestRecord, endedMs: number): LedgerEntry {
  const { startedMs, outcome } = record;
  return {
    id: record.requestId,
    atMs: startedMs,
    client: nameOf(record.client),
    caller: record.caller,
    dialect: record.dialect,
    model: nameOf(record.model ?? record.askedModel),
    backend: record.backend ?? null,
    thread: record.thread ?? null,
    continuity: record.continuity ?? null,
    cacheMiss: record.cacheMiss ?? null,
    sentAgainTokens: record.sentAgainTokens,
    turnId: record.turnId,
    round: record.round,
    context: countedTokens(record.usage),
    tokens: countedTokens(record.turnUsage),
    runs: record.runs,
    retries: record.retries,
    sentBytes: record.sentBytes,
    receivedBytes: record.receivedBytes,
    toolRounds: record.pauses.length + (record.clientCalls > 0 ? 1 : 0),
    firstByteMs: since(startedMs, record.firstByteMs),
    toolsMs: record.pauses.length === 0 ? record.clientToolsMs : toolsMs(record),
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

/** Never negative, also when the clock was set back meanwhile. */
function since(startMs: number, ms: number | undefined): number | null {
  return ms === undefined ? null : Math.max(0, ms - startMs);
}

/** Names come from clients. They become parts of keys, which have a limit. */
export function nameOf(name: string): string {
  return name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH) : name;
}

export function countedTokens(usage: Usage | undefined): CountedTokens | null {
  if (usage === undefined) return null;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    reasoning: usage.reasoningTokens,
    estimated: usage.estimated,
  };
}

/** Entries are written as lists without names, which are half as long as with them. */
export function writeEntry(json: JsonBytes, entry: LedgerEntry): void {
  json.beginDocument();
  json.text(entry.id);
  json.number(entry.atMs);
  json.text(entry.client);
  json.text(entry.caller);
  json.text(entry.dialect);
  json.text(entry.model);
  json.text(entry.backend);
  json.text(entry.thread);
  json.text(entry.continuity);
  json.text(entry.cacheMiss);
  json.number(entry.sentAgainTokens);
  json.text(entry.turnId === entry.id ? null : entry.turnId);
  json.number(entry.round);
  writeTokens(json, entry.context);
  writeTokens(json, entry.tokens);
  json.number(entry.runs);
  json.number(entry.retries);
  json.number(entry.sentBytes);
  json.number(entry.receivedBytes);
  json.number(entry.toolRounds);
  json.number(entry.firstByteMs);
  json.number(entry.toolsMs);
  json.number(entry.totalMs);
  json.text(entry.outcome);
  json.text(entry.message);
  json.text(entry.abandoned);
  json.endList();
}

function writeTokens(json: JsonBytes, tokens: CountedTokens | null): void {
  if (tokens === null) {
    json.number(null);
    return;
  }
  json.beginList();
  json.number(tokens.input);
  json.number(tokens.output);
  json.number(tokens.cacheRead);
  json.number(tokens.cacheWrite);
  json.number(tokens.reasoning);
  json.number(tokens.estimated ? 1 : 0);
  json.endList();
}

export function entryText(entry: LedgerEntry): string {
  const json = new JsonBytes();
  writeEntry(json, entry);
  return json.bytes.toString("utf8", 0, json.length);
}

/** The beginning of the entry that the request will have. */
export function writeReceived(json: JsonBytes, record: RequestRecord): void {
  json.beginDocument();
  json.text(record.requestId);
  json.number(record.startedMs);
  json.text(nameOf(record.client));
  json.text(record.caller);
  json.text(record.dialect);
  json.text(nameOf(record.askedModel));
  json.endList();
}

export function receivedText(record: RequestRecord): string {
  const json = new JsonBytes();
  writeReceived(json, record);
  return json.bytes.toString("utf8", 0, json.length);
}

/** The most requests and runs that were open at once since the request before. */
export interface Peaks {
  readonly openRequests: number;
  readonly openRuns: number;
}

/** Writes the detail of a request, and the peaks after it. */
export function writeDetail(json: JsonBytes, record: RequestRecord, keepsTexts: boolean, peaks: Peaks): void {
  const { startedMs, pauses, warnings, texts } = record;
  json.beginDocument();
  json.number(record.stream ? 1 : 0);
  json.text(nameOf(record.askedModel));
  json.number(record.bodyBytes);
  json.number(record.bytes);
  json.number(record.status ?? null);
  json.number(since(startedMs, record.plannedMs));
  json.number(since(startedMs, record.openedMs));
  json.beginList();
  for (const pause of pauses) {
    json.beginList();
    json.number(pause.startedMs - startedMs);
    json.number(pause.endedMs - startedMs);
    json.number(pause.calls);
    json.endList();
  }
  json.endList();
  json.number(record.clientToolsMs);
  json.number(record.clientCalls);
  json.beginList();
  if (warnings !== undefined) {
    for (const warning of warnings.slice(0, MAX_WARNINGS)) json.text(warning.slice(0, MAX_MESSAGE_LENGTH));
  }
  json.endList();
  json.text(record.joined ?? null);
  json.beginList();
  if (keepsTexts && texts !== undefined) {
    json.text(texts.asked.slice(0, MAX_TEXT_LENGTH));
    json.text(texts.answered.slice(0, MAX_TEXT_LENGTH));
  }
  json.endList();
  json.number(peaks.openRequests);
  json.number(peaks.openRuns);
  json.endList();
}
