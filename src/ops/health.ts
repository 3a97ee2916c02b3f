import type { TokenSource } from "../auth/token.js";

/** Whether Cursor takes our credential, as far as we know without asking. */
type HealthAuth = TokenSource["state"] | "expired";

export interface HealthSources {
  readonly status: "ok";
  readonly version: string;
  readonly auth: HealthAuth;
  readonly backend: string;
  /** True when the built-in simulator answers and no model does. */
  readonly simulator: boolean;
  readonly mcp: { readonly enabled: boolean; readonly servers: number; readonly tools: number };
  /** How each of the backends that turns may go to has fared so far. */
  readonly backends: Readonly<Record<string, BackendStatus>>;
  /** What upstream said that we do not know, by kind. */
  readonly drift: Readonly<Record<string, number>>;
  /** Over which HTTP version the newest run went, and why. */
  readonly transport: { readonly name: string; readonly reason: string };
  readonly conversations: ConversationHealth;
  /** Lines that could not be written, because of a full disk or a reader that has gone. */
  readonly lostLogLines: number;
  readonly uptimeSeconds: number;
}

interface BackendStatus {
  /** Whether Cursor takes the login that this backend goes with. */
  readonly auth: HealthAuth;
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: string; readonly at: string } | null;
}

interface ConversationHealth {
  /** Runs at Cursor that wait for the results of tool calls. */
  readonly parkedRuns: number;
  /** Runs that were let go before their time because too many were waiting. */
  readonly runsLetGo: number;
  /** Replies by whether they went on from where the conversation was, and if not, why. */
  readonly continuity: Readonly<Record<string, number>>;
}

interface HealthDeps extends Pick<HealthSources, "version" | "backend" | "simulator"> {
  readonly tokens: Pick<TokenSource, "state" | "expiresMs">;
  /** The backend of turns that no route sends elsewhere. */
  readonly usual: string;
  /** Whether a backend goes with a login that is not Curlew's. */
  readonly hasOwnLogin: (backend: string) => boolean;
  /** What changes while the gateway runs. */
  readonly read: () => Pick<
    HealthSources,
    "mcp" | "backends" | "drift" | "transport" | "conversations" | "lostLogLines"
  >;
  readonly now?: () => number;
}

/** Answers from what is known here: a health check must never wait for Cursor. */
export function createHealth(deps: HealthDeps) {
  const { version, backend, simulator, tokens, usual, now = Date.now } = deps;
  const startedMs = now();
  return (): HealthSources => {
    const known = deps.read();
    const fared = Object.entries(known.backends).map(([name, facts]): [string, BackendStatus] => {
      return [name, deps.hasOwnLogin(name) ? facts : { ...facts, auth: authOf(tokens, facts.auth, now()) }];
    });
    const backends = Object.fromEntries(fared);
    const auth = backends[usual]?.auth ?? "unchecked";
    const uptimeSeconds = Math.floor((now() - startedMs) / 1000);
    return { status: "ok", version, auth, backend, simulator, ...known, backends, uptimeSeconds };
  };
}

/**
 * What is known of the credential counts first, then what turns have shown. A token that cannot be renewed tells its own end;
 * one that can has no end while nothing was exchanged.
 */
function authOf({ state, expiresMs }: HealthDeps["tokens"], shown: HealthAuth, nowMs: number): HealthAuth {
  if (state !== "unchecked") return state;
  return expiresMs !== undefined && expiresMs <= nowMs ? "expired" : shown;
}
