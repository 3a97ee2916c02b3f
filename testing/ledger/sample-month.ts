import { GatewayError } from "../../packages/gateway/turn/error.js";
import type { Usage } from "../../packages/gateway/turn/event.js";
import { RequestRecord } from "../../packages/gateway/turn/events/channels.js";
import { WRITTEN_BY } from "./write-ledger.js";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface MonthOptions {
  readonly nowMs: number;
  readonly days: number;
  /** How many conversations a working day has. */
  readonly conversations: number;
}

interface Client {
  readonly name: string;
  readonly userAgent: string;
  readonly dialect: string;
  readonly models: readonly string[];
}

const clients: readonly Client[] = [
  {
    name: "claude",
    userAgent: "claude-cli/2.1.0",
    dialect: "anthropic-messages",
    models: ["claude-opus-4-8-high", "claude-opus-4-8-high", "composer-2.5"],
  },
  {
    name: "opencode",
    userAgent: "opencode/1.4.2",
    dialect: "openai-chat",
    models: ["composer-2.5", "gpt-5.5-medium", "composer-2.5"],
  },
  {
    name: "codex",
    userAgent: "codex_cli_rs/0.60.0",
    dialect: "openai-responses",
    models: ["gpt-5.5-medium", "gpt-5.5-high"],
  },
  {
    name: "cline",
    userAgent: "ai-sdk/openai-compatible/1.0.19",
    dialect: "openai-chat",
    models: ["composer-2.5", "auto"],
  },
];

/**
 * Requests as a month of everyday work has them, the oldest first: conversations that grow, most turns warm, many with tools, a few
 * that fail. The same options give the same requests, recognisable by their threads, which begin with `made-`.
 */
export function* sampleMonth({ nowMs, days, conversations }: MonthOptions): Generator<RequestRecord> {
  const random = seeded(20_261_116);
  const today = new Date(nowMs).setHours(0, 0, 0, 0);
  for (let ago = days - 1; ago >= 0; ago--) {
    const dayMs = new Date(today - ago * DAY_MS + 2 * HOUR_MS).setHours(0, 0, 0, 0);
    const weekday = new Date(dayMs).getDay();
    const share = weekday === 0 || weekday === 6 ? 0.25 : 0.7 + 0.6 * random();
    // Today's work lies in the past, however early it is.
    const [fromMs, toMs] =
      ago === 0 ? [Math.max(dayMs, nowMs - 9 * HOUR_MS), nowMs - 60_000] : [dayMs + 8 * HOUR_MS, dayMs + 20 * HOUR_MS];
    const records: RequestRecord[] = [];
    for (let count = 0; count < Math.round(conversations * share); count++) {
      const name = `made-${days - ago}-${count}`;
      const startMs = fromMs + random() * (toMs - fromMs);
      records.push(...conversation(name, startMs, random).filter(({ endedMs = 0 }) => endedMs < toMs));
    }
    yield* records.sort((one, other) => one.startedMs - other.startedMs);
  }
}

function conversation(name: string, startMs: number, random: () => number): RequestRecord[] {
  const client = pick(clients, random() ** 1.4);
  const model = pick(client.models, random());
  const records: RequestRecord[] = [];
  let contextTokens = 9_000 + Math.round(random() * 14_000);
  let atMs = Math.round(startMs);
  const turns = 2 + Math.floor(random() * 9);
  for (let turn = 0; turn < turns; turn++) {
    const played = playTurn(
      { name: `${name}-${turn}`, thread: name, client, model, atMs, contextTokens, turn },
      random,
    );
    records.push(...played);
    atMs = (played.at(-1)?.endedMs ?? atMs) + 20_000 + Math.round(random() * 120_000);
    contextTokens += 1_500 + Math.round(random() * 6_000);
  }
  return records;
}

interface Turn {
  readonly name: string;
  readonly thread: string;
  readonly client: Client;
  readonly model: string;
  readonly atMs: number;
  readonly contextTokens: number;
  readonly turn: number;
}

/** One request for each round of tools, and one that ends the turn. */
function playTurn(
  { name, thread, client, model, atMs, contextTokens, turn }: Turn,
  random: () => number,
): RequestRecord[] {
  // Long conversations are compacted.
  const side = turn === 6 ? "compaction" : undefined;
  const rounds = side === undefined ? Math.floor(random() ** 2 * 5) : 0;
  const isEdited = turn > 0 && random() < 0.06;
  const fails = random() < 0.025;
  const records: RequestRecord[] = [];
  let startedMs = atMs;
  for (let round = 0; round <= rounds; round++) {
    const isLast = round === rounds;
    const firstByteMs = 500 + Math.round(random() ** 2 * 2_600);
    const totalMs = firstByteMs + 700 + Math.round(random() ** 2 * 14_000);
    const isCold = round === 0 && (turn === 0 || isEdited);
    const clientToolsMs = round === 0 ? 0 : Math.round(120 + random() ** 3 * 20_000);
    startedMs += clientToolsMs;
    const usage = usageOf(contextTokens * (isLast ? rounds + 1 : 1), isCold, random);
    records.push(
      Object.assign(new RequestRecord(WRITTEN_BY, idFrom(random), startedMs), {
        client: client.name,
        userAgent: client.userAgent,
        dialect: client.dialect,
        askedModel: model,
        model,
        backend: "agent",
        thread,
        stream: true,
        turnId: name,
        round,
        bringsWords: round === 0,
        side,
        continuity: (turn === 0 || side) && round === 0 ? "cold:new" : isCold ? "cold:edited" : "warm",
        cacheMiss: isEdited && round === 0 ? "messages" : undefined,
        sentAgainTokens: isEdited && round === 0 ? Math.round(contextTokens * 0.4) : 0,
        bodyBytes: contextTokens * 4,
        plannedMs: startedMs + 2,
        openedMs: startedMs + 9,
        firstByteMs: startedMs + firstByteMs,
        endedMs: startedMs + totalMs,
        clientToolsMs,
        clientCalls: isLast ? 0 : 1 + Math.floor(random() * 3),
        usage,
        turnUsage: isLast ? usage : undefined,
        runs: round === 0 ? 1 : 0,
        sentBytes: isCold ? contextTokens * 3 : 2_400,
        receivedBytes: 9_000 + Math.round(random() * 20_000),
        bytes: 6_000,
        status: 200,
        ...(fails && isLast && failure()),
      }),
    );
    startedMs += totalMs;
  }
  return records;
}

function failure(): Partial<RequestRecord> {
  const error = new GatewayError(
    "rate_limit_exceeded",
    "Cursor says that the limit of this model is reached. Try again in a minute, or choose another model.",
  );
  return { outcome: error.code, error, status: 429, usage: undefined, turnUsage: undefined };
}

function usageOf(inputTokens: number, isCold: boolean, random: () => number): Usage {
  const cached = isCold ? random() * 0.4 : 0.86 + random() * 0.12;
  const cacheReadTokens = Math.round(inputTokens * cached);
  const outputTokens = 120 + Math.round(random() ** 2 * 2_400);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: Math.round((inputTokens - cacheReadTokens) * 0.6),
    reasoningTokens: Math.round(outputTokens * 0.3 * random()),
    estimated: random() < 0.01,
  };
}

/** In the form that the gateway gives to requests. */
function idFrom(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-a$4-$5");
}

function pick<Item>(items: readonly Item[], share: number): Item {
  const item = items[Math.min(items.length - 1, Math.floor(share * items.length))];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
}

/** Mulberry32: small, and the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
