/** Whether Cursor would take our word for who we are, as far as we know without asking. */
export type AuthState = "authenticated" | "not_authenticated" | "expired";

export interface HealthFacts {
  readonly status: "ok";
  readonly version: string;
  readonly auth: AuthState;
  readonly backend: string;
  /** True when the built-in simulator answers and no model does. */
  readonly simulator: boolean;
  readonly mcp: { readonly enabled: boolean; readonly servers: number; readonly tools: number };
  /** What upstream said that we do not know, by kind. */
  readonly drift: Readonly<Record<string, number>>;
  readonly uptimeSeconds: number;
}

interface HealthDeps {
  readonly version: string;
  readonly backend: string;
  readonly isSimulated: boolean;
  readonly auth: () => AuthState;
  readonly drift: () => Readonly<Record<string, number>>;
  readonly now?: () => number;
}

/** Answers from what is known here: a health check must never wait for Cursor. */
export function createHealth({ version, backend, isSimulated, auth, drift, now = Date.now }: HealthDeps) {
  const startedMs = now();
  return (): HealthFacts => ({
    status: "ok",
    version,
    auth: auth(),
    backend,
    simulator: isSimulated,
    mcp: { enabled: false, servers: 0, tools: 0 },
    drift: drift(),
    uptimeSeconds: Math.floor((now() - startedMs) / 1000),
  });
}
