import type { JournalDetail, LedgerEntry } from "@curlew/meter/ledger/entry.js";
import type { writeSum } from "@curlew/meter/usage/usage-sum.js";

/** The bodies under `/admin/api/`. Page and gateway are built from these types, so no other version must stay compatible. */

/** `POST /admin/api/session`: opens a session. The answer also sets the cookie. */
export type SessionQuestion = { readonly link: string } | { readonly key: string };

export interface SessionAnswer {
  /** Sent back in the header `x-curlew-page`. The cookie alone is not enough, since browsers send it to every port of this host. */
  readonly proof: string;
}

/** `GET /admin/api/door`: all that an unauthenticated browser gets. */
export interface DoorAnswer {
  readonly isSimulated: boolean;
  /** Whether the gateway's own key opens the page as well. */
  readonly takesKey: boolean;
}

export interface GatewayFacts {
  readonly version: string;
  readonly backend: string;
  readonly isSimulated: boolean;
  readonly conduct: "usual" | "careful";
  readonly startedMs: number;
  readonly asksForKey: boolean;
}

export interface BackendState {
  readonly name: string;
  readonly auth: string;
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: string; readonly at: string } | null;
}

export interface McpServerState {
  readonly name: string;
  readonly isConnected: boolean;
  readonly tools: number;
  readonly problem: string | null;
}

export interface Trouble {
  /** A clause that can follow "but", without a full stop. */
  readonly what: string;
  /** Whether requests can't be answered because of it. */
  readonly isFatal: boolean;
  readonly advice: string | null;
  readonly command: string | null;
}

/** Problems found in limits, plan and recent turns, and the command to sign in again. */
export interface Told {
  readonly troubles: readonly Trouble[];
  readonly signIn: string;
}

export interface HealthState extends Told {
  readonly auth: string;
  readonly backends: readonly BackendState[];
  readonly mcpServers: readonly McpServerState[];
  readonly drift: Readonly<Record<string, number>>;
  readonly transport: { readonly name: string; readonly reason: string } | null;
  readonly lostLogLines: number;
  readonly isUpdated: boolean;
}

/** A request being answered, with absolute times. */
export interface LiveRequest
  extends Pick<LedgerEntry, "id" | "client" | "dialect" | "model" | "round" | "side" | "continuity"> {
  readonly startedMs: number;
  readonly plannedMs: number | null;
  readonly openedMs: number | null;
  readonly firstByteMs: number | null;
}

/** A run at Cursor that waits for the client's tool results. Has the id of the request whose reply ended with the calls. */
export interface WaitingRun extends Pick<LedgerEntry, "id" | "client" | "model"> {
  readonly calls: number;
  readonly pausedMs: number;
  readonly leaseEndsMs: number;
}

export interface LiveState {
  /** Newest first. */
  readonly requests: readonly LiveRequest[];
  readonly moreRequests: number;
  /** Sorted by the end of the lease. */
  readonly waiting: readonly WaitingRun[];
  readonly moreWaiting: number;
}

/** Sums, in the form of `GET /v1/usage`. */
export type Sums = Readonly<ReturnType<typeof writeSum>>;

/** `GET /admin/api/now` */
export interface NowAnswer {
  /** The gateway's clock, the reference for all times. */
  readonly nowMs: number;
  readonly gateway: GatewayFacts;
  readonly health: HealthState;
  readonly today: Sums;
  readonly live: LiveState;
}

/** `GET /admin/api/live`: server-sent events. `now` has the parts that changed, `ended` the requests that ended. */
export type LiveEvent =
  | { readonly name: "now"; readonly data: Partial<Omit<NowAnswer, "gateway">> & Pick<NowAnswer, "nowMs"> }
  | {
      readonly name: "ended";
      /** Newest first. Under load some are left out; `skipped` is their number. */
      readonly data: { readonly entries: readonly PageEntry[]; readonly skipped: number };
    };

/** `GET /admin/api/plan`: what Cursor reports; it may take a second. */
export interface PlanAnswerBody {
  readonly plan: {
    readonly plan: string | null;
    readonly price: string | null;
    readonly period_start: string | null;
    readonly resets: string | null;
    readonly percent_used: number | null;
    readonly auto_percent_used: number | null;
    readonly api_percent_used: number | null;
    readonly spent_cents: number | null;
    readonly included_cents: number | null;
    readonly on_demand: {
      readonly used_cents: number;
      readonly limit_cents: number | "unlimited" | null;
    } | null;
  } | null;
  readonly problem: string | null;
}

/** A request without the ids of key and account: the former is a hash of the key, which a browser need not have. */
export type PageEntry = Omit<LedgerEntry, "caller" | "account">;

/** `GET /admin/api/requests?client=&model=&failed=1&before=&limit=`: newest first. */
export interface RequestsAnswer {
  readonly entries: readonly PageEntry[];
  /** `before` for the next page; null at the end. A search with few matches stops early, with fewer entries. */
  readonly before: string | null;
}

export interface TimedRequest {
  readonly entry: PageEntry;
  /** Null if the ledger has none. */
  readonly detail: JournalDetail | null;
}

/** `GET /admin/api/requests/<id>`: one request, its turn, and what explains its cost and time. */
export interface RequestAnswer extends TimedRequest {
  /** All requests of the turn, oldest first, including this one. */
  readonly turn: readonly TimedRequest[];
  readonly why: readonly { readonly topic: string; readonly what: string; readonly advice: string | null }[];
  /** Cost of the turn at list prices; null if unknown. */
  readonly dollars: number | null;
}

export interface UsageRowBody extends Sums {
  readonly day?: string;
  readonly starts_at?: string;
  readonly model?: string;
  readonly client?: string;
}

/** `GET /admin/api/usage?by=day|hour|model|client&days=`: the body of `GET /v1/usage`, with the clients' names, without the plan. */
export interface UsageAnswer {
  readonly by: "day" | "hour" | "model" | "client";
  readonly days: number;
  /** Rows by time: newest first; by name: most input first. `day` has a row per day and model. */
  readonly data: readonly UsageRowBody[];
  readonly total: Sums;
}

export interface PageModel {
  readonly id: string;
  readonly title: string;
  readonly contextTokens: number | null;
  readonly maxModeContextTokens: number | null;
  readonly thinks: boolean;
  readonly seesImages: boolean;
  readonly efforts: readonly string[];
  readonly aliases: readonly string[];
  /** Dollars per million tokens; null without a known price. */
  readonly price: { readonly input: number; readonly cacheRead: number; readonly output: number } | null;
}

/** `GET /admin/api/models` */
export interface ModelsAnswer {
  readonly models: readonly PageModel[];
}

export interface PageClient {
  /** Its name for `curlew setup`. */
  readonly name: string;
  readonly title: string;
  readonly isProven: boolean;
  /** The commands that set it up, and that start it without changing its settings. */
  readonly setup: string;
  readonly run: string | null;
  /** Its settings as a new file; null if they are not kept in a file. */
  readonly snippet: { readonly path: string; readonly text: string } | null;
  readonly notes: readonly string[];
  readonly lastSeenMs: number | null;
  readonly requests: number;
}

export interface SeenClient {
  readonly name: string;
  /** A lower bound. The longer ago, the less precise. */
  readonly lastSeenMs: number;
  readonly requests: number;
}

/** `GET /admin/api/clients` */
export interface ClientsAnswer {
  readonly baseUrls: { readonly openai: string; readonly anthropic: string };
  readonly asksForKey: boolean;
  readonly clients: readonly PageClient[];
  readonly others: readonly SeenClient[];
}

/** `POST /admin/api/stop-all` */
export interface StoppedAnswer {
  readonly replies: number;
  readonly waiting: number;
}

/** The body of every answer that is not 2xx. */
export interface ProblemAnswer {
  readonly error: { readonly message: string; readonly code: string | null };
}
