import type { Usage } from "../turn/event.js";

const HOUR_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const DAY_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Fields of a class, because a request may make some of these and adds to several. */
class TokenCounts {
  input = 0;
  output = 0;
  cacheRead = 0;
  cacheWrite = 0;
  reasoning = 0;
}

/** Tokens by kind. The input includes what was read from and written to the cache. */
export type Tokens = Readonly<TokenCounts>;

export const tokenKinds = Object.keys(new TokenCounts()) as (keyof Tokens)[];

/** What is counted of requests beside their tokens. Files of sums have their numbers in this order. */
class Counts {
  requests = 0;
  failures = 0;
  unadmitted = 0;
  turns = 0;
  estimatedTurns = 0;
  warm = 0;
  cold = 0;
  runs = 0;
  retries = 0;
  sentBytes = 0;
  receivedBytes = 0;
}

export const countNames = Object.keys(new Counts()) as (keyof Counts)[];

export class Counters extends Counts {
  readonly tokens = new TokenCounts();
}

/** Adds counters to others, and returns these. */
export function add(to: Counters, added: Readonly<Counters>, sign: 1 | -1 = 1): Counters {
  for (const name of countNames) to[name] += sign * added[name];
  addTokens(to.tokens, added.tokens, sign);
  return to;
}

/** Written out, because each request comes here several times. */
export function addTokens(to: TokenCounts, added: Tokens, sign: 1 | -1 = 1): void {
  to.input += sign * added.input;
  to.output += sign * added.output;
  to.cacheRead += sign * added.cacheRead;
  to.cacheWrite += sign * added.cacheWrite;
  to.reasoning += sign * added.reasoning;
}

/** What is counted of a request. An entry has it, and so has the record of a request that has ended. */
interface Countable
  extends Pick<LedgerEntry, "outcome" | "round" | "runs" | "retries" | "sentBytes" | "receivedBytes"> {
  readonly thread?: string | null | undefined;
  readonly continuity?: string | null | undefined;
}

/** Adds what a request counts for in any sum, with the tokens of the turn if it ended with this request. */
export function count(to: Counters, request: Countable, tokens: CountedTokens | null): void {
  const { continuity } = request;
  to.requests++;
  if (isFailure(request.outcome)) to.failures++;
  if (!isAdmitted(request)) to.unadmitted++;
  if (continuity?.startsWith("cold") === true) to.cold++;
  else if (continuity != null) to.warm++;
  to.runs += request.runs;
  to.retries += request.retries;
  to.sentBytes += request.sentBytes;
  to.receivedBytes += request.receivedBytes;
  if (tokens !== null) countTurn(to, tokens);
}

export function countTurn(to: Counters, tokens: CountedTokens): void {
  to.turns++;
  if (tokens.estimated) to.estimatedTurns++;
  addTokens(to.tokens, tokens);
}

/** Tokens, and whether Cursor has counted them or Curlew has estimated them. */
export interface CountedTokens extends Tokens {
  readonly estimated: boolean;
}

export function countedTokens(usage: Usage | undefined): CountedTokens | null {
  return usage === undefined ? null : tokensOf(usage);
}

export function tokensOf(usage: Usage): TokenCounts & { readonly estimated: boolean } {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    reasoning: usage.reasoningTokens,
    estimated: usage.estimated,
  };
}

/** One request, as the ledger keeps it. It holds no text of a prompt or an answer. */
export interface LedgerEntry {
  readonly id: string;
  readonly atMs: number;
  /** The name of the client's key, or else the first product of its user agent. */
  readonly client: string;
  /** Identifies the key without revealing it; empty when there was none. */
  readonly caller: string;
  /** Names the Cursor account that the request brought; empty when it used the gateway's own. */
  readonly account: string;
  readonly dialect: string;
  /** The model that answered, or the name that was asked for when none did. */
  readonly model: string;
  readonly backend: string | null;
  readonly thread: string | null;
  readonly continuity: string | null;
  readonly cacheMiss: string | null;
  readonly sentAgainTokens: number;
  /** A name of the turn, and how often the turn had paused for tools before this request. */
  readonly turnId: string;
  readonly round: number;
  /** When the first request of the turn came, and how many runs the turn took up to the end of this one. */
  readonly turnStartedMs: number;
  readonly turnRuns: number;
  /** The context of the reply. Never summed up. */
  readonly context: CountedTokens | null;
  /** The sum of the turn, booked on the request with which the turn ended, or on the last one of a run that was given up. */
  readonly tokens: CountedTokens | null;
  readonly runs: number;
  readonly retries: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Tool rounds that this request ended with or ran itself. */
  readonly toolRounds: number;
  readonly firstByteMs: number | null;
  readonly toolsMs: number;
  readonly totalMs: number | null;
  /** `interrupted` when the process ended before the request did. */
  readonly outcome: string;
  /** What went wrong, in words. */
  readonly message: string | null;
  /** Why the run that waited for the client's results was given up, such as `lease-expired`. */
  readonly abandoned: string | null;
}

/** Whether a request with this outcome went wrong. One whose client left did not. */
export function isFailure(outcome: string): boolean {
  return outcome !== "ok" && outcome !== "client-left";
}

/** Warm or cold, and why: `cold: edited`, `warm: system changed`. Empty if neither is known. */
export function continuityText({ continuity, cacheMiss }: Pick<LedgerEntry, "continuity" | "cacheMiss">): string {
  if (continuity === null) return "";
  const [state = "", reason] = continuity.split(":");
  const isCause = cacheMiss === "model" || cacheMiss === "system" || cacheMiss === "tools";
  if (isCause) return `${state}: ${cacheMiss} changed`;
  return reason === undefined ? state : `${state}: ${reason.replaceAll("-", " ")}`;
}

/** What a turn has taken. That is on one of its requests, or on several where runs were given up in between. */
export function turnTokens(turn: readonly Pick<LedgerEntry, "tokens">[]): CountedTokens | null {
  const booked = turn.flatMap(({ tokens }) => tokens ?? []);
  return booked.length === 0 ? null : booked.reduce((sum, tokens) => sumOfTokens(sum, tokens));
}

/** Tokens that the model read outside the cache or wrote: what a turn costs, before there is a price. */
export function uncachedTokens({ input, cacheRead, output }: Tokens): number {
  return input - cacheRead + output;
}

export function sumOfTokens(one: CountedTokens, other: CountedTokens): CountedTokens {
  const sum = { ...one, estimated: one.estimated || other.estimated };
  addTokens(sum, other);
  return sum;
}

/** Whether the owner's limits have let a question through, which then counts against them. */
export function isAdmitted({ outcome, thread, round, continuity, runs }: Countable): boolean {
  // A round of tools belongs to a turn that is counted, unless the user has asked something beside the results.
  if (round > 0) return continuity === "warm:steered";
  // Nobody knows how far it came. Most requests are past the limits within a millisecond.
  if (outcome === "interrupted") return true;
  // Cursor sets limits as well, but not before a request has a run.
  const isRefused = outcome === "quota_exceeded" || (outcome === "rate_limit_exceeded" && runs === 0);
  // One that could not be read, or that has joined the reply of another, never came to the limits.
  return thread != null && !isRefused;
}

/** More about one of the last requests. Times count from the beginning of the request. */
export interface JournalDetail {
  readonly id: string;
  readonly stream: boolean;
  readonly askedModel: string;
  readonly bodyBytes: number;
  readonly replyBytes: number;
  readonly status: number | null;
  readonly plannedMs: number | null;
  readonly openedMs: number | null;
  /** The gateway's own tools. */
  readonly pauses: readonly { readonly startedMs: number; readonly endedMs: number; readonly calls: number }[];
  readonly clientToolsMs: number;
  /** How many calls the reply ended with. */
  readonly clientCalls: number;
  readonly warnings: readonly string[];
  readonly joined: string | null;
  /** Only where the owner wants texts kept. */
  readonly texts: { readonly asked: string; readonly answered: string } | null;
}

/** Sums of an hour or a day. What is `unadmitted` does not count against limits: tool rounds, and what was refused or not read. */
export interface RollUp extends Readonly<Counters> {
  /** When the hour or the day begins. Days are those of the time zone in which the gateway ran. */
  readonly startMs: number;
  readonly client: string;
  readonly model: string;
  readonly account: string;
}

/** What Cursor has seen of this gateway on one day. */
export interface ConductDay {
  readonly startMs: number;
  readonly requests: number;
  readonly runs: number;
  readonly retries: number;
  /** Requests whose client left. */
  readonly cancelled: number;
  /** How many runs were given up, by the reason. */
  readonly abandoned: Readonly<Record<string, number>>;
  /** The most requests that were open at once in one process, and the most runs, the waiting ones included. */
  readonly peakRequests: number;
  readonly peakRuns: number;
}

export interface EntryFilter {
  readonly fromMs?: number;
  /** Entries before this moment. */
  readonly toMs?: number;
  /** With or without the version behind its name. */
  readonly client?: string;
  readonly model?: string;
  /** Only those that went wrong. */
  readonly isFailed?: boolean;
  readonly id?: string;
  readonly turnId?: string;
  readonly thread?: string;
  readonly limit: number;
}

/** A search in slices, so that nobody waits for a long one. */
export interface EntrySearch extends EntryFilter {
  /** How many entries are looked at, whether they fit or not. */
  readonly maxLooked: number;
  /** Where the search before has ended. */
  readonly before?: string;
  /** The search ends with the slice that has such an entry. */
  readonly isLast?: (entry: LedgerEntry) => boolean;
}

export interface EntryPage {
  readonly entries: LedgerEntry[];
  /** Where the next search begins; null if there is nothing more to look at. */
  readonly before: string | null;
}

/** The ledger as gateways and commands read it. Nothing here throws: what cannot be read is left out. */
export interface LedgerReader {
  /** Reads in slices what the sums need. Without it they are there all the same, but the first question may take long. */
  ready(): Promise<void>;
  /** The newest first. */
  entries(filter: EntryFilter): LedgerEntry[];
  /** The same in slices. The next search goes on where one has ended, however many entries began in the same millisecond. */
  search(search: EntrySearch): Generator<undefined, EntryPage, undefined>;
  /** More about an entry that this reader has found. */
  detail(entry: LedgerEntry): JournalDetail | undefined;
  /** In the order of time. */
  rollUps(span: "hour" | "day", fromMs: number, toMs: number): RollUp[];
  /** Of each day the hundred turns that cost most: the requests on which they are booked, in no order. */
  dearest(filter: Omit<EntryFilter, "limit">): LedgerEntry[];
  /** What one conversation has taken within the days that are kept. */
  thread(thread: string): Pick<Counters, "requests" | "unadmitted" | "tokens"> | undefined;
  /** In the order of time. */
  conduct(fromMs: number, toMs: number): ConductDay[];
}

/** Finds the hours and days of the machine's time zone in which moments lie. Neighbouring moments are found at once. */
export class Spans {
  #hourMs = Number.NaN;
  #day = { startMs: Number.NaN, endMs: Number.NaN, text: "" };

  /** Hours begin with the hours of the clock on the wall, also where that is half an hour off. */
  startOfHour(ms: number): number {
    if (ms >= this.#hourMs && ms < this.#hourMs + HOUR_MS) return this.#hourMs;
    const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
    this.#hourMs = Math.floor((ms - offsetMs) / HOUR_MS) * HOUR_MS + offsetMs;
    return this.#hourMs;
  }

  /** Such as `2026-11-15`. Days have 23 or 25 hours when the clocks change. */
  dayText(ms: number): string {
    const { startMs, endMs, text } = this.#day;
    if (ms >= startMs && ms < endMs) return text;
    this.#day = { startMs: midnight(ms, 0), endMs: midnight(ms, 1), text: dayText(ms) };
    return this.#day.text;
  }
}

/** When the day begins that is this many days after the one of a moment. */
export function midnight(ms: number, daysLater: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

/** When a day such as `2026-11-15` begins; undefined if there is no such day. */
export function dayStart(day: string): number | undefined {
  const [, year, month, date] = DAY_TEXT.exec(day)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const start = new Date(year, month - 1, date);
  return start.getMonth() === month - 1 && start.getDate() === date ? start.getTime() : undefined;
}

/** The day of a moment, such as `2026-11-15`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
