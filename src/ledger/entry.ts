/** Tokens by kind. The input includes what was read from and written to the cache. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** Tokens, and whether Cursor has counted them or Curlew has estimated them. */
export interface CountedTokens extends Tokens {
  readonly estimated: boolean;
}

/** One request, as the ledger keeps it. It holds no text of a prompt or an answer. */
export interface LedgerEntry {
  /** The id of the request. */
  readonly id: string;
  readonly atMs: number;
  /** The name of the client's key, or else the first product of its user agent. */
  readonly client: string;
  /** Identifies the key without revealing it; empty when there was none. */
  readonly caller: string;
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
  return turn.reduce<CountedTokens | null>((sum, { tokens }) => {
    if (tokens === null || sum === null) return tokens ?? sum;
    return {
      input: sum.input + tokens.input,
      output: sum.output + tokens.output,
      cacheRead: sum.cacheRead + tokens.cacheRead,
      cacheWrite: sum.cacheWrite + tokens.cacheWrite,
      reasoning: sum.reasoning + tokens.reasoning,
      estimated: sum.estimated || tokens.estimated,
    };
  }, null);
}

/** Whether the owner's limits have let a request through, which then counts against them. */
export function isAdmitted(entry: LedgerEntry): boolean {
  const { outcome, thread } = entry;
  // Nobody knows how far it came. Most requests are past the limits within a millisecond.
  if (outcome === "interrupted") return true;
  // One that could not be read, or that has joined the reply of another, never came to the limits.
  return thread !== null && !isRefusal(entry);
}

/** Cursor sets limits as well, but not before a request has a run: one of its own, or the one that waited for its results. */
function isRefusal({ outcome, runs, round }: LedgerEntry): boolean {
  return outcome === "quota_exceeded" || (outcome === "rate_limit_exceeded" && runs === 0 && round === 0);
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

/** The sums of an hour or a day for one client and one model. */
export interface RollUp {
  /** When the hour or the day begins. Days are those of the machine's time zone. */
  readonly startMs: number;
  readonly client: string;
  readonly model: string;
  readonly requests: number;
  readonly failures: number;
  /** Those among them that do not count against the owner's limits, because these have refused them or were never asked. */
  readonly unadmitted: number;
  readonly turns: number;
  readonly estimatedTurns: number;
  readonly warm: number;
  readonly cold: number;
  readonly runs: number;
  readonly retries: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly tokens: Tokens;
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
  readonly turnId?: string;
  readonly thread?: string;
  readonly limit: number;
}

/** A search that can be made in steps, so that nobody waits for a long one. */
export interface EntrySearch extends EntryFilter {
  /** How many entries are looked at, whether they fit or not. */
  readonly maxLooked: number;
  /** Where the step before has ended. */
  readonly before?: string;
}

export interface EntryPage {
  readonly entries: LedgerEntry[];
  /** Where the next step begins; null if there is nothing more to look at. */
  readonly before: string | null;
}

/** The ledger, as it is read: by the gateway that writes it, and by commands in other processes. */
export interface LedgerReader {
  /**
   * Resolves when the ledger on disk is open. Before that, a gateway's own reader knows only what this process has just written.
   * It never fails: what cannot be read is left out.
   */
  ready(): Promise<void>;
  /** The newest first. */
  entries(filter: EntryFilter): LedgerEntry[];
  /** The same in steps. No entry is left out or found twice, however many began in the same millisecond. */
  search(search: EntrySearch): EntryPage;
  entry(id: string): LedgerEntry | undefined;
  /** It is found sooner where it is known when the request began, and then among all of the same id. */
  detail(id: string, atMs?: number): JournalDetail | undefined;
  /** In the order of time. */
  rollUps(span: "hour" | "day", fromMs: number, toMs: number): RollUp[];
  /** What one conversation has taken within the days that are kept. */
  thread(
    thread: string,
  ): { readonly requests: number; readonly unadmitted: number; readonly tokens: Tokens } | undefined;
  /** In the order of time. */
  conduct(fromMs: number, toMs: number): ConductDay[];
  close(): Promise<void>;
}
