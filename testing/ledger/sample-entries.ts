import type { CountedTokens, JournalDetail, LedgerEntry } from "../../packages/meter/ledger/index.js";

/** Noon of a day, in the machine's time zone. */
export const noonMs = new Date(2026, 10, 16, 12).getTime();

/** A warm request that went well, with these changes. */
export function sampleEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const id = changes.id ?? "3f2a9c01-7f11-4a5e-9d5c-1f2e3d4c5b6a";
  return {
    id,
    atMs: noonMs,
    client: "opencode",
    isNamedKey: false,
    caller: "",
    account: "",
    dialect: "openai-chat",
    model: "composer-2.5",
    backend: "agent",
    thread: "thread-1",
    continuity: "warm",
    cacheMiss: null,
    sentAgainTokens: 0,
    turnId: id,
    round: 0,
    bringsWords: true,
    side: null,
    turnStartedMs: changes.atMs ?? noonMs,
    turnRuns: 1,
    context: sampleTokens(),
    tokens: sampleTokens(),
    runs: 1,
    retries: 0,
    sentBytes: 2_000,
    receivedBytes: 9_000,
    toolRounds: 0,
    firstByteMs: 1_200,
    toolsMs: 0,
    totalMs: 8_400,
    outcome: "ok",
    message: null,
    abandoned: null,
    ...changes,
  };
}

export function sampleTokens(changes: Partial<CountedTokens> = {}): CountedTokens {
  return { input: 12_345, output: 850, cacheRead: 12_000, cacheWrite: 0, reasoning: 0, estimated: false, ...changes };
}

export function sampleDetail(changes: Partial<JournalDetail> = {}): JournalDetail {
  return {
    id: "3f2a9c01-7f11-4a5e-9d5c-1f2e3d4c5b6a",
    stream: true,
    userAgent: "opencode/1.4.2",
    askedModel: "composer-2.5",
    bodyBytes: 4_000,
    replyBytes: 3_000,
    status: 200,
    plannedMs: 2,
    openedMs: 10,
    pauses: [],
    clientToolsMs: 0,
    clientCalls: 0,
    warnings: [],
    joined: null,
    texts: null,
    ...changes,
  };
}
