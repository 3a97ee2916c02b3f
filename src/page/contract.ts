import type { JournalDetail, LedgerEntry } from "../ledger/entry.js";
import type { writeSum } from "../usage/usage-sum.js";

/** The bodies under `/admin/api/`. Page and gateway are built from these types, so no other version must stay compatible. */

/** `POST /admin/api/session`: how somebody gets in. The answer also sets the cookie. */
export type SessionQuestion = { readonly link: string } | { readonly key: string };

export interface SessionAnswer {
  /** Sent back as the header `x-curlew-page`. The cookie alone opens nothing, since browsers send it to every port of this host. */
  readonly proof: string;
}

/** `GET /admin/api/door`: all that a browser without permission is told. */
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
  /** A clause that can go on after "but", without a full stop. */
  readonly what: string;
  /** Whether requests can't be answered because of it. */
  readonly isFatal: boolean;
  readonly advice: string | null;
  readonly command: string | null;
}

/** What limits and the newest turns show, and the command for a login that does not work. */
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

/** A request that is being answered. Times are times of the day. */
export interface LiveRequest extends Pick<LedgerEntry, "id" | "client" | "dialect" | "model" | "round" | "continuity"> {
  readonly startedMs: number;
  readonly plannedMs: number | null;
  readonly openedMs: number | null;
  readonly firstByteMs: number | null;
}

/** A run at Cursor that waits for the client's tools. The id is that of the request whose reply ended with the calls. */
export interface WaitingRun extends Pick<LedgerEntry, "id" | "client" | "model"> {
  readonly calls: number;
  readonly pausedMs: number;
  readonly leaseEndsMs: number;
}

export interface LiveState {
  /** The newest first. */
  readonly requests: readonly LiveRequest[];
  readonly moreRequests: number;
  /** Those whose lease ends first come first. */
  readonly waiting: readonly WaitingRun[];
  readonly moreWaiting: number;
}

/** Sums, in the form of `GET /v1/usage`. */
export type Sums = Readonly<ReturnType<typeof writeSum>>;

/** `GET /admin/api/now` */
export interface NowAnswer {
  /** The gateway's clock, by which all times are to be read. */
  readonly nowMs: number;
  readonly gateway: GatewayFacts;
  readonly health: HealthState;
  readonly today: Sums;
  readonly live: LiveState;
}

/** `GET /admin/api/live`: server-sent events. `now` has the parts that have changed, `ended` the requests that have ended since. */
export type LiveEvent =
  | { readonly name: "now"; readonly data: Partial<Omit<NowAnswer, "gateway">> & Pick<NowAnswer, "nowMs"> }
  | {
      readonly name: "ended";
      /** The newest first. Under load only some are told, and `skipped` says how many are not. */
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

/** A request as the page gets it: without what identifies its key, which is a hash of that key and no business of a browser. */
export type PageEntry = Omit<LedgerEntry, "caller" | "account">;

/** `GET /admin/api/requests?client=&model=&failed=1&before=&limit=`: the newest first. */
export interface RequestsAnswer {
  readonly entries: readonly PageEntry[];
  /** The `before` of the next page; null if there is none. A search that finds little ends after a while, with fewer entries. */
  readonly before: string | null;
}

export interface TimedRequest {
  readonly entry: PageEntry;
  /** Null if the journal has forgotten it. */
  readonly detail: JournalDetail | null;
}

/** `GET /admin/api/requests/<id>`: one request, the turn that it belongs to, and why it was as it was. */
export interface RequestAnswer extends TimedRequest {
  /** All requests of the turn, in the order of time; this one included. */
  readonly turn: readonly TimedRequest[];
  readonly why: readonly { readonly topic: string; readonly what: string; readonly advice: string | null }[];
  /** What the turn cost at list prices; null if that is not known. */
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
  /** Times have the newest first, names the most input first. `day` has a row for each day and model. */
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
  /** Dollars for a million tokens, by Cursor's list; null if it has none for this model. */
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
  /** The commands that set it up, and that start it without changing anything. */
  readonly setup: string;
  readonly run: string | null;
  /** What its settings must say, as they would be written into a new file; null if they are not in a file. */
  readonly snippet: { readonly path: string; readonly text: string } | null;
  readonly notes: readonly string[];
  readonly lastSeenMs: number | null;
  readonly requests: number;
}

export interface SeenClient {
  readonly name: string;
  /** At least as late as this. The longer ago, the less exactly it is known. */
  readonly lastSeenMs: number;
  readonly requests: number;
}

/** `GET /admin/api/clients` */
export interface ClientsAnswer {
  readonly baseUrls: { readonly openai: string; readonly anthropic: string };
  readonly asksForKey: boolean;
  readonly clients: readonly PageClient[];
  /** Clients that were seen and are none of these. */
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
