import { some, wholeCount } from "@curlew/gateway/system/format.js";
import type { Usage } from "@curlew/gateway/turn/event.js";
import { type SideRequest, sideRequests } from "@curlew/gateway/turn/side-request.js";

const HOUR_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const DAY_TEXT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A class instead of a literal: every request creates some of these and adds to several. */
class TokenCounts {
  input = 0;
  output = 0;
  cacheRead = 0;
  cacheWrite = 0;
  reasoning = 0;
}

/** Tokens by kind. Input includes cache reads and cache writes. */
export type Tokens = Readonly<TokenCounts>;

export const tokenKinds = Object.keys(new TokenCounts()) as (keyof Tokens)[];

/** Counters besides tokens. Sums files store their numbers in this order. */
class Counts implements Record<SideRequest, number> {
  requests = 0;
  failures = 0;
  unadmitted = 0;
  /** What people typed: turns with words of the user that the client has not sent by itself. */
  messages = 0;
  turns = 0;
  estimatedTurns = 0;
  /** Turns that continued their conversation, and the others. */
  warm = 0;
  cold = 0;
  runs = 0;
  // Runs of these for requests that clients send by themselves.
  title = 0;
  suggestion = 0;
  compaction = 0;
  check = 0;
  retries = 0;
  sentBytes = 0;
  receivedBytes = 0;
}

export const countNames = Object.keys(new Counts()) as (keyof Counts)[];

export class Counters extends Counts {
  readonly tokens = new TokenCounts();
}

export function add(to: Counters, added: Readonly<Counters>, sign: 1 | -1 = 1): Counters {
  for (const name of countNames) to[name] += sign * added[name];
  addTokens(to.tokens, added.tokens, sign);
  return to;
}

/** Unrolled: called several times per request. */
export function addTokens(to: TokenCounts, added: Tokens, sign: 1 | -1 = 1): void {
  to.input += sign * added.input;
  to.output += sign * added.output;
  to.cacheRead += sign * added.cacheRead;
  to.cacheWrite += sign * added.cacheWrite;
  to.reasoning += sign * added.reasoning;
}

/** What counting needs of a request: satisfied by an entry and by the record of an ended request. */
interface Countable
  extends Pick<LedgerEntry, "outcome" | "round" | "bringsWords" | "runs" | "retries" | "sentBytes" | "receivedBytes"> {
  readonly thread?: string | null | undefined;
  readonly continuity?: string | null | undefined;
  readonly side?: SideRequest | null | undefined;
}

/** Adds a request to a sum, with the tokens of the turn if the turn ended with this request. */
export function count(to: Counters, request: Countable, tokens: CountedTokens | null): void {
  const { continuity, side, runs } = request;
  to.requests++;
  if (isFailure(request.outcome)) to.failures++;
  if (!isAdmitted(request)) to.unadmitted++;
  else if (request.bringsWords && side == null) to.messages++;
  // A tool round belongs to its turn.
  if (request.round === 0 && continuity != null) to[continuity.startsWith("cold") ? "cold" : "warm"]++;
  to.runs += runs;
  if (side != null) to[side] += runs;
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

/** Tokens, either counted by Cursor or estimated by Curlew. */
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

/** One request in the ledger. Holds no text of prompts or answers. */
export interface LedgerEntry {
  readonly id: string;
  readonly atMs: number;
  /** The name of the client's key, or else of its program. */
  readonly client: string;
  readonly isNamedKey: boolean;
  /** Identifies the key without revealing it; empty without a key. */
  readonly caller: string;
  /** The Cursor account that the request brought; empty for the gateway's own. */
  readonly account: string;
  readonly dialect: string;
  /** The model that answered; if none did, the requested name. */
  readonly model: string;
  readonly backend: string | null;
  readonly thread: string | null;
  readonly continuity: string | null;
  readonly cacheMiss: string | null;
  readonly sentAgainTokens: number;
  /** Id of the turn, and how often it had paused for tools before this request. */
  readonly turnId: string;
  readonly round: number;
  /** Whether it brought new words of the user, not only tool results. */
  readonly bringsWords: boolean;
  /** Set if the client asked by itself. */
  readonly side: SideRequest | null;
  /** When the first request of the turn arrived, and how many runs the turn took up to the end of this one. */
  readonly turnStartedMs: number;
  readonly turnRuns: number;
  /** The context of the reply. Never summed up. */
  readonly context: CountedTokens | null;
  /** The total of the turn, booked on the request that ended it, or on the last request of an abandoned run. */
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

/** A request whose client left is not a failure. */
export function isFailure(outcome: string): boolean {
  return outcome !== "ok" && outcome !== "client-left";
}

/** Warm or cold, and why, and what the client wanted by itself: `cold: edited`, `warm: system changed`, `cold: new (title)`. */
export function continuityText(entry: Pick<LedgerEntry, "continuity" | "cacheMiss" | "side">): string {
  const side = entry.side === null ? "" : `(${entry.side})`;
  return [wordsOf(entry), side].filter((text) => text !== "").join(" ");
}

function wordsOf({ continuity, cacheMiss }: Pick<LedgerEntry, "continuity" | "cacheMiss">): string {
  if (continuity === null) return "";
  const [state = "", reason] = continuity.split(":");
  const isCause = cacheMiss === "model" || cacheMiss === "system" || cacheMiss === "tools";
  if (isCause) return `${state}: ${cacheMiss} changed`;
  return reason === undefined ? state : `${state}: ${reason.replaceAll("-", " ")}`;
}

/** `18 runs for 15 messages, 3 of them for side requests (title 2, suggestion 1)` */
export function runsText(
  { runs, messages }: Pick<Counters, "runs" | "messages">,
  sideRuns: Readonly<Record<SideRequest, number>>,
): string {
  const kinds = sideRequests.filter((kind) => sideRuns[kind] > 0);
  const whole = `${some(runs, "run")} for ${some(messages, "message")}`;
  if (kinds.length === 0) return whole;
  const count = wholeCount(kinds.reduce((sum, kind) => sum + sideRuns[kind], 0));
  const each = kinds.map((kind) => `${kind} ${wholeCount(sideRuns[kind])}`).join(", ");
  return `${whole}, ${count} of them for side requests (${each})`;
}

/** The tokens of a turn, booked on one of its requests, or on several if runs were abandoned in between. */
export function turnTokens(turn: readonly Pick<LedgerEntry, "tokens">[]): CountedTokens | null {
  const booked = turn.flatMap(({ tokens }) => tokens ?? []);
  return booked.length === 0 ? null : booked.reduce((sum, tokens) => sumOfTokens(sum, tokens));
}

/** Tokens read outside the cache or generated: the cost of a turn, before prices. */
export function uncachedTokens({ input, cacheRead, output }: Tokens): number {
  return input - cacheRead + output;
}

export function sumOfTokens(one: CountedTokens, other: CountedTokens): CountedTokens {
  const sum = { ...one, estimated: one.estimated || other.estimated };
  addTokens(sum, other);
  return sum;
}

/** Whether the owner's limits admitted the request, which then counts against them. */
export function isAdmitted({ outcome, thread, round, continuity, runs }: Countable): boolean {
  // A tool round belongs to a turn already counted, unless the user sent a message along with the results.
  if (round > 0) return continuity === "warm:steered";
  // Unknown how far it got. Most requests pass the limits within a millisecond.
  if (outcome === "interrupted") return true;
  // Cursor's own limits give the same code, but only after a run was started.
  const isRefused = outcome === "quota_exceeded" || (outcome === "rate_limit_exceeded" && runs === 0);
  // Unreadable requests, and those that joined another's reply, never reached the limits.
  return thread != null && !isRefused;
}

/** Details of a recent request. Times are relative to its start. */
export interface JournalDetail {
  readonly id: string;
  readonly stream: boolean;
  /** The first product of the user agent, such as `claude-cli/2.1.0`. */
  readonly userAgent: string;
  readonly askedModel: string;
  readonly bodyBytes: number;
  readonly replyBytes: number;
  readonly status: number | null;
  readonly plannedMs: number | null;
  readonly openedMs: number | null;
  /** The gateway's own tools. */
  readonly pauses: readonly { readonly startedMs: number; readonly endedMs: number; readonly calls: number }[];
  readonly clientToolsMs: number;
  /** Number of tool calls that the reply ended with. */
  readonly clientCalls: number;
  readonly warnings: readonly string[];
  readonly joined: string | null;
  /** Only if the owner keeps texts. */
  readonly texts: { readonly asked: string; readonly answered: string } | null;
}

/** Sums of an hour or a day. `unadmitted` requests do not count against limits: tool rounds, refused and unreadable ones. */
export interface RollUp extends Readonly<Counters> {
  /** Start of the hour or day. Days are those of the gateway's time zone. */
  readonly startMs: number;
  readonly client: string;
  readonly isNamedKey: boolean;
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
  /** Abandoned runs by reason. */
  readonly abandoned: Readonly<Record<string, number>>;
  /** Peak number of open requests in one process, and of runs, including waiting ones. */
  readonly peakRequests: number;
  readonly peakRuns: number;
}

export interface EntryFilter {
  readonly fromMs?: number;
  /** Entries before this moment. */
  readonly toMs?: number;
  readonly client?: string;
  readonly model?: string;
  /** True: only failures. False: only the others. */
  readonly isFailed?: boolean;
  readonly id?: string;
  readonly turnId?: string;
  readonly thread?: string;
  readonly limit: number;
}

/** A search in slices, so that a long one does not block the event loop. */
export interface EntrySearch extends EntryFilter {
  /** Limit on the entries examined, matching or not. */
  readonly maxLooked: number;
  /** Cursor: where the previous search ended. */
  readonly before?: string;
  /** Stops the search at the end of the slice that contains such an entry. */
  readonly isLast?: (entry: LedgerEntry) => boolean;
}

export interface EntryPage {
  readonly entries: LedgerEntry[];
  /** Cursor for the next search; null at the end. */
  readonly before: string | null;
}

/** Read access to the ledger. Never throws: unreadable parts are left out. */
export interface LedgerReader {
  /** Warms up the sums, in slices. Optional: without it, the first query may take long. */
  ready(): Promise<void>;
  /** Newest first. */
  entries(filter: EntryFilter): LedgerEntry[];
  /** The same in slices. `before` resumes exactly, even among entries of the same millisecond. */
  search(search: EntrySearch): Generator<undefined, EntryPage, undefined>;
  /** Details of an entry that this reader returned. */
  detail(entry: LedgerEntry): JournalDetail | undefined;
  /** In the order of time. */
  rollUps(span: "hour" | "day", fromMs: number, toMs: number): RollUp[];
  /** The hundred most expensive turns of each day, as the requests on which they are booked, unordered. */
  dearest(filter: Omit<EntryFilter, "limit">): LedgerEntry[];
  /** Totals of one conversation within the kept days. */
  thread(thread: string): Pick<Counters, "requests" | "unadmitted" | "tokens"> | undefined;
  /** In the order of time. */
  conduct(fromMs: number, toMs: number): ConductDay[];
}

/** Maps times to hours and days of the local time zone. Caches the last result, since neighbouring times share it. */
export class Spans {
  #hourMs = Number.NaN;
  #day = { startMs: Number.NaN, endMs: Number.NaN, text: "" };

  /** Hours start on the local clock, even in zones with a half-hour offset. */
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

/** Local midnight, this many days after the day of `ms`. */
export function midnight(ms: number, daysLater: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

/** Start of a day such as `2026-11-15`; undefined if it does not exist. */
export function dayStart(day: string): number | undefined {
  const [, year, month, date] = DAY_TEXT.exec(day)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const start = new Date(year, month - 1, date);
  return start.getMonth() === month - 1 && start.getDate() === date ? start.getTime() : undefined;
}

/** The local day, such as `2026-11-15`. */
export function dayText(ms: number): string {
  const at = new Date(ms);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
