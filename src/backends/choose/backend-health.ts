import type { ErrorCode, ErrorKind, GatewayError } from "../../turn/error.js";

export interface BackendHealth {
  /** By the newest turn; unknown before any. */
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: ErrorCode; readonly at: string } | null;
}

/** The request's own faults, and clients that leave, say nothing about a backend. */
const notItsFault: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "bad-request",
  "not-found",
  "too-large",
  "media-type",
  "method",
  "not-implemented",
  "canceled",
]);

/** What the turns of one backend have shown. Codes and times alone: it is told to everybody who may ask. */
export class HealthRecord {
  readonly #now: () => number;
  #state: BackendHealth["state"] = "unknown";
  #successMs: number | undefined;
  #error: BackendHealth["lastError"] = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  succeeded(): void {
    this.#state = "ok";
    this.#successMs = this.#now();
  }

  failed({ code, kind }: GatewayError): void {
    if (notItsFault.has(kind) || code === "shutting_down") return;
    this.#state = "failing";
    this.#error = { code, at: new Date(this.#now()).toISOString() };
  }

  get facts(): BackendHealth {
    const lastSuccess = this.#successMs === undefined ? null : new Date(this.#successMs).toISOString();
    return { state: this.#state, lastSuccess, lastError: this.#error };
  }
}
