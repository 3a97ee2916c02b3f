import type { RequestRecord } from "../events/index.js";
import type { Usage } from "../turn/event.js";
import type { CountedTokens, LedgerEntry } from "./entry.js";

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

/**
 * Writes entries as lists without names, about half as long as with them. The lists are used again for the next entry, because this
 * happens once for each request.
 */
export class EntryWriter {
  readonly #entry: unknown[] = [];
  readonly #context: unknown[] = [];
  readonly #tokens: unknown[] = [];
  readonly #detail: unknown[] = [];
  readonly #received: unknown[] = [];

  received(record: RequestRecord): string {
    const list = this.#received;
    list[0] = record.requestId;
    list[1] = record.startedMs;
    list[2] = nameOf(record.client);
    list[3] = record.caller;
    list[4] = record.dialect;
    list[5] = nameOf(record.askedModel);
    return JSON.stringify(list);
  }

  entry(entry: LedgerEntry): string {
    const list = this.#entry;
    list[0] = entry.id;
    list[1] = entry.atMs;
    list[2] = entry.client;
    list[3] = entry.caller;
    list[4] = entry.dialect;
    list[5] = entry.model;
    list[6] = entry.backend;
    list[7] = entry.thread;
    list[8] = entry.continuity;
    list[9] = entry.cacheMiss;
    list[10] = entry.sentAgainTokens;
    list[11] = entry.turnId === entry.id ? 0 : entry.turnId;
    list[12] = entry.round;
    list[13] = listOf(this.#context, entry.context);
    list[14] = listOf(this.#tokens, entry.tokens);
    list[15] = entry.runs;
    list[16] = entry.retries;
    list[17] = entry.sentBytes;
    list[18] = entry.receivedBytes;
    list[19] = entry.toolRounds;
    list[20] = entry.firstByteMs;
    list[21] = entry.toolsMs;
    list[22] = entry.totalMs;
    list[23] = entry.outcome;
    list[24] = entry.message;
    list[25] = entry.abandoned;
    return JSON.stringify(list);
  }

  detail(record: RequestRecord, keepsTexts: boolean): string {
    const { startedMs } = record;
    const list = this.#detail;
    list[0] = record.stream ? 1 : 0;
    list[1] = nameOf(record.askedModel);
    list[2] = record.bodyBytes;
    list[3] = record.bytes;
    list[4] = record.status ?? null;
    list[5] = since(startedMs, record.plannedMs);
    list[6] = since(startedMs, record.openedMs);
    list[7] =
      record.pauses.length === 0
        ? 0
        : record.pauses.map((pause) => [pause.startedMs - startedMs, pause.endedMs - startedMs, pause.calls]);
    list[8] = record.clientToolsMs;
    list[9] = record.clientCalls;
    list[10] =
      record.warnings === undefined || record.warnings.length === 0
        ? 0
        : record.warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, MAX_MESSAGE_LENGTH));
    list[11] = record.joined ?? null;
    list[12] =
      keepsTexts && record.texts !== undefined
        ? [record.texts.asked.slice(0, MAX_TEXT_LENGTH), record.texts.answered.slice(0, MAX_TEXT_LENGTH)]
        : 0;
    return JSON.stringify(list);
  }
}

function listOf(list: unknown[], tokens: CountedTokens | null): unknown {
  if (tokens === null) return 0;
  list[0] = tokens.input;
  list[1] = tokens.output;
  list[2] = tokens.cacheRead;
  list[3] = tokens.cacheWrite;
  list[4] = tokens.reasoning;
  list[5] = tokens.estimated ? 1 : 0;
  return list;
}
