import type { ErrorCode, ErrorKind, GatewayError } from "../../turn/error.js";
import type { OwnLogin } from "../backend.js";

/** Whether Cursor takes the login, as far as turns and the backend's own word have shown. */
export type BackendAuth = "authenticated" | "not_authenticated" | "unchecked";

export interface BackendHealth {
  readonly auth: BackendAuth;
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

  saysOfLogin(login: OwnLogin): void {
    if (login !== "unknown") this.#auth = login === "logged-in" ? "authenticated" : "not_authenticated";
  }

  get facts(): BackendHealth {
    const lastSuccess = this.#successMs === undefined ? null : new Date(this.#successMs).toISOString();
    return { auth: this.#auth, state: this.#state, lastSuccess, lastError: this.#error };
  }
}
