import type { ErrorCode, ErrorKind, GatewayError } from "../../turn/error.js";
import type { OwnLogin } from "../backend.js";

/** Whether Cursor accepts the login, as far as turns and the backend itself have shown. */
export type BackendAuth = "authenticated" | "not_authenticated" | "unchecked";

export interface BackendHealth {
  readonly auth: BackendAuth;
  /** From the newest turn; unknown before the first. */
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: ErrorCode; readonly at: string } | null;
}

/** Faults of the request, and clients that leave, say nothing about a backend. */
const notItsFault: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "bad-request",
  "not-found",
  "too-large",
  "media-type",
  "confirmation",
  "method",
  "not-implemented",
  "canceled",
]);

/** What the turns of one backend have shown. It holds only codes and times, because everyone who may ask can see it. */
export class HealthTracker {
  readonly #now: () => number;
  #auth: BackendAuth = "unchecked";
  #state: BackendHealth["state"] = "unknown";
  #successMs: number | undefined;
  #error: BackendHealth["lastError"] = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  succeeded(): void {
    this.#auth = "authenticated";
    this.#state = "ok";
    this.#successMs = this.#now();
  }

  failed({ code, kind }: GatewayError): void {
    if (notItsFault.has(kind) || code === "shutting_down") return;
    this.#state = "failing";
    if (kind === "authentication") this.#auth = "not_authenticated";
    this.#error = { code, at: new Date(this.#now()).toISOString() };
  }

  loginReported(login: OwnLogin): void {
    if (login !== "unknown") this.#auth = login === "logged-in" ? "authenticated" : "not_authenticated";
  }

  get snapshot(): BackendHealth {
    const lastSuccess = this.#successMs === undefined ? null : new Date(this.#successMs).toISOString();
    return { auth: this.#auth, state: this.#state, lastSuccess, lastError: this.#error };
  }
}
