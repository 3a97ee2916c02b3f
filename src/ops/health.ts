import type { TokenSource } from "../auth/token.js";

type HealthAuth = TokenSource["state"] | "expired";

export interface HealthReport {
  readonly status: "ok";
  readonly version: string;
  readonly auth: HealthAuth;
  readonly backend: string;
  /** True if the built-in simulator answers instead of a model. */
  readonly simulator: boolean;
  readonly conduct: "usual" | "careful";
  readonly mcp: { readonly enabled: boolean; readonly servers: number; readonly tools: number };
  readonly backends: Readonly<Record<string, BackendStatus>>;
  /** The number of unknown messages from upstream, by kind. */
  readonly drift: Readonly<Record<string, number>>;
  /** The HTTP version of the agent backend's newest run, and why it was chosen; undefined where no turn goes to that backend. */
  readonly transport: { readonly name: string; readonly reason: string } | undefined;
  readonly conversations: {
    /** Runs that are open at Cursor, and the most that were open at once. */
    readonly openRuns: number;
    readonly peakRuns: number;
    /** Requests that wait for one of them to end, because the conduct allows no more. */
    readonly waitingRequests: number;
    /** Runs at Cursor that wait for the results of tool calls. */
    readonly parkedRuns: number;
    /** Runs that were ended early because too many were waiting. */
    readonly runsLetGo: number;
    /** The number of replies that continued their conversation, and of those that did not, by reason. */
    readonly continuity: Readonly<Record<string, number>>;
  };
  /** Lines that could not be written, because the disk was full or the reader had gone. */
  readonly lostLogLines: number;
  /** True if another build has taken the place of the one that runs. */
  readonly updated: boolean;
  readonly uptimeSeconds: number;
}

interface BackendStatus {
  readonly auth: HealthAuth;
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: string; readonly at: string } | null;
}

interface HealthDeps {
  readonly tokens: Pick<TokenSource, "state" | "expiresMs">;
  readonly usual: string;
  /** Whether a backend has a login that is not Curlew's. */
  readonly hasOwnLogin: (backend: string) => boolean;
  readonly read: () => Omit<HealthReport, "status" | "auth" | "uptimeSeconds">;
  readonly now?: () => number;
}

/** Reports what is known here: a health check must never wait for Cursor. */
export function createHealth(deps: HealthDeps) {
  const { tokens, usual, now = Date.now } = deps;
  const startedMs = now();
  return (): HealthReport => {
    const known = deps.read();
    const fared = Object.entries(known.backends).map(([name, health]): [string, BackendStatus] => {
      return [name, deps.hasOwnLogin(name) ? health : { ...health, auth: authOf(tokens, health.auth, now()) }];
    });
    const backends = Object.fromEntries(fared);
    const auth = backends[usual]?.auth ?? "unchecked";
    const uptimeSeconds = Math.floor((now() - startedMs) / 1000);
    return { status: "ok", ...known, auth, backends, uptimeSeconds };
  };
}

/** The state of the credential counts first, then the result of turns. Only a token that cannot be renewed has a known end. */
function authOf({ state, expiresMs }: HealthDeps["tokens"], shown: HealthAuth, nowMs: number): HealthAuth {
  if (state !== "unchecked") return state;
  return expiresMs !== undefined && expiresMs <= nowMs ? "expired" : shown;
}
