import type { TokenSource } from "../account/token.js";

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
  /** HTTP version of the agent backend's latest run, and why it was chosen; undefined if no turns go to that backend. */
  readonly transport: { readonly name: string; readonly reason: string } | undefined;
  readonly conversations: {
    /** Runs open at Cursor, and their peak number. */
    readonly openRuns: number;
    readonly peakRuns: number;
    /** Requests queued because the conduct allows no more runs at once. */
    readonly waitingRequests: number;
    /** Runs at Cursor that wait for tool results. */
    readonly parkedRuns: number;
    /** Runs ended early because too many were waiting. */
    readonly runsLetGo: number;
    /** Number of replies by continuity: continued conversations, and cold ones by reason. */
    readonly continuity: Readonly<Record<string, number>>;
  };
  /** Log lines that could not be written: full disk, or a slow or closed reader. */
  readonly lostLogLines: number;
  /** True if the running build was replaced on disk. */
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
  /** Whether a backend uses a login other than Curlew's. */
  readonly hasOwnLogin: (backend: string) => boolean;
  readonly read: () => Omit<HealthReport, "status" | "auth" | "uptimeSeconds">;
  readonly now: () => number;
}

/** Reports only local knowledge: a health check must never wait for Cursor. */
export function createHealth(deps: HealthDeps) {
  const { tokens, usual, now } = deps;
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

/** The state of the credential takes precedence over the results of turns. Only a token that cannot be renewed has a known expiry. */
function authOf({ state, expiresMs }: HealthDeps["tokens"], shown: HealthAuth, nowMs: number): HealthAuth {
  if (state !== "unchecked") return state;
  return expiresMs !== undefined && expiresMs <= nowMs ? "expired" : shown;
}
