import { parseJson } from "../turn/read-json.js";
import { type CountedTokens, isAdmitted, isFailure, type LedgerEntry, type RollUp, type Tokens } from "./entry.js";
import { numberOf } from "./read-entry.js";
import { sortable } from "./tables.js";

/** Sums in a row of text: their order here is their order there. Later versions may append to it. */
const names = [
  "requests",
  "failures",
  "turns",
  "estimatedTurns",
  "warm",
  "cold",
  "runs",
  "retries",
  "sentBytes",
  "receivedBytes",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "reasoning",
  "unadmitted",
] as const;

export type Sums = Record<(typeof names)[number], number>;

export function noSums(): Sums {
  return {
    requests: 0,
    failures: 0,
    turns: 0,
    estimatedTurns: 0,
    warm: 0,
    cold: 0,
    runs: 0,
    retries: 0,
    sentBytes: 0,
    receivedBytes: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    unadmitted: 0,
  };
}

export function readSums(text: string | undefined): Sums {
  const sums = noSums();
  const list: unknown = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(list)) return sums;
  let at = 0;
  for (const name of names) sums[name] = numberOf(list[at++]);
  return sums;
}

export function sumsText(sums: Sums): string {
  return JSON.stringify(names.map((name) => sums[name]));
}

/** Adds an entry, or takes it away again with a sign of -1. */
export function addEntry(sums: Sums, entry: LedgerEntry, sign: 1 | -1): void {
  sums.requests += sign;
  if (isFailure(entry.outcome)) sums.failures += sign;
  if (!isAdmitted(entry)) sums.unadmitted += sign;
  if (entry.continuity !== null) {
    if (entry.continuity.startsWith("cold")) sums.cold += sign;
    else sums.warm += sign;
  }
  sums.runs += sign * entry.runs;
  sums.retries += sign * entry.retries;
  sums.sentBytes += sign * entry.sentBytes;
  sums.receivedBytes += sign * entry.receivedBytes;
  if (entry.tokens !== null) addTokens(sums, entry.tokens, sign);
}

export function addTokens(sums: Sums, tokens: CountedTokens, sign: 1 | -1): void {
  sums.turns += sign;
  if (tokens.estimated) sums.estimatedTurns += sign;
  sums.input += sign * tokens.input;
  sums.output += sign * tokens.output;
  sums.cacheRead += sign * tokens.cacheRead;
  sums.cacheWrite += sign * tokens.cacheWrite;
  sums.reasoning += sign * tokens.reasoning;
}

export function rollUpKey(startMs: number, client: string, model: string): string {
  return `${sortable(startMs)}\t${keyPart(client)}\t${keyPart(model)}`;
}

/** When the span of a key began. */
export function startOfKey(key: string): number {
  return Number(key.slice(0, sortable(0).length));
}

export function clientOfKey(key: string): string {
  return decodeURIComponent(key.split("\t")[1] ?? "");
}

export function readRollUp(key: string, value: string): RollUp {
  const [, client = "", model = ""] = key.split("\t");
  const sums = readSums(value);
  return {
    startMs: startOfKey(key),
    client: decodeURIComponent(client),
    model: decodeURIComponent(model),
    requests: sums.requests,
    failures: sums.failures,
    unadmitted: sums.unadmitted,
    turns: sums.turns,
    estimatedTurns: sums.estimatedTurns,
    warm: sums.warm,
    cold: sums.cold,
    runs: sums.runs,
    retries: sums.retries,
    sentBytes: sums.sentBytes,
    receivedBytes: sums.receivedBytes,
    tokens: tokensOf(sums),
  };
}

function tokensOf({ input, output, cacheRead, cacheWrite, reasoning }: Sums): Tokens {
  return { input, output, cacheRead, cacheWrite, reasoning };
}

/** Keys are plain ASCII, so that they have the same order here and in LMDB. */
function keyPart(name: string): string {
  return /^[ -$&-~]*$/.test(name) ? name : encodeURIComponent(Buffer.from(name).toString());
}
