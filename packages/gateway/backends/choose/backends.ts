import { type ErrorCode, type GatewayError, isClientsFault } from "../../turn/error.js";
import { fitsWildcard } from "../../turn/fits-wildcard.js";
import type { Backend, BackendName, OwnLogin } from "../backend.js";

/** Asking for a login starts a process, and health checks may come every second. */
const LOGIN_FRESH_MS = 30_000;

interface BackendsDeps<Opened> {
  readonly routing: Routing;
  /** Called once for each backend, when its first turn comes. */
  readonly open: (name: BackendName) => Opened;
  readonly now: () => number;
}

export class Backends<Opened extends { readonly backend: Pick<Backend, "close" | "login"> }> {
  readonly #deps: BackendsDeps<Opened>;
  readonly #opened = new Map<BackendName, Opened>();
  readonly #trackers: ReadonlyMap<BackendName, HealthTracker>;
  #loginsAskedMs = Number.NEGATIVE_INFINITY;
  #loginsChecked: Promise<void> = Promise.resolve();

  constructor(deps: BackendsDeps<Opened>) {
    this.#deps = deps;
    this.#trackers = new Map(backendsIn(deps.routing).map((name) => [name, new HealthTracker(deps.now)]));
  }

  namesFor(model: string): readonly BackendName[] {
    return backendsFor(model, this.#deps.routing);
  }

  open(name: BackendName): Opened {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const opened = this.#deps.open(name);
    this.#opened.set(name, opened);
    return opened;
  }

  get usual(): Opened {
    return this.open(this.#deps.routing.usual);
  }

  trackerOf(name: BackendName): HealthTracker | undefined {
    return this.#trackers.get(name);
  }

  get health(): Readonly<Record<string, BackendHealth>> {
    return Object.fromEntries([...this.#trackers].map(([name, { snapshot }]) => [name, snapshot]));
  }

  /** Asks backends with a login of their own for it, unless it is known to be good. The answers are cached for a while. */
  checkLogins(): Promise<void> {
    const nowMs = this.#deps.now();
    if (nowMs - this.#loginsAskedMs >= LOGIN_FRESH_MS) {
      this.#loginsAskedMs = nowMs;
      this.#loginsChecked = this.#askLogins();
    }
    return this.#loginsChecked;
  }

  async #askLogins(): Promise<void> {
    const unproven = [...this.#trackers].filter(([, { snapshot }]) => snapshot.auth !== "authenticated");
    await Promise.all(
      unproven.map(async ([name, tracker]) => {
        const login = await this.open(name)
          .backend.login?.()
          .catch(() => "unknown" as const);
        if (login !== undefined) tracker.loginReported(login);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ backend }) => backend.close()));
  }
}

interface BackendHealth {
  /** Whether Cursor accepts the login, as far as turns and the backend itself have shown. */
  readonly auth: "authenticated" | "not_authenticated" | "unchecked";
  readonly state: "unknown" | "ok" | "failing";
  readonly lastSuccess: string | null;
  readonly lastError: { readonly code: ErrorCode; readonly at: string } | null;
}

/** One backend's health, as its turns have shown it. It holds only codes and times, because all callers can see it. */
export class HealthTracker {
  snapshot: BackendHealth = { auth: "unchecked", state: "unknown", lastSuccess: null, lastError: null };
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  succeeded(): void {
    const lastSuccess = new Date(this.#now()).toISOString();
    this.snapshot = { ...this.snapshot, auth: "authenticated", state: "ok", lastSuccess };
  }

  failed({ code, kind }: GatewayError): void {
    if (isClientsFault(code) || code === "shutting_down") return;
    const auth = kind === "authentication" ? "not_authenticated" : this.snapshot.auth;
    const lastError = { code, at: new Date(this.#now()).toISOString() };
    this.snapshot = { ...this.snapshot, auth, state: "failing", lastError };
  }

  loginReported(login: OwnLogin): void {
    if (login === "unknown") return;
    this.snapshot = { ...this.snapshot, auth: login === "logged-in" ? "authenticated" : "not_authenticated" };
  }
}

/** Failures of a backend or the way to it. For others, another backend would fail too or evade an intended limit. */
export const fallbackCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "client_outdated",
  "network_blocked",
  "overloaded",
  // The program is not installed, or broken on this machine.
  "server_error",
  "timeout",
  "upstream_error",
  "upstream_overloaded",
  "upstream_unreachable",
]);

export interface Routing<Name extends BackendName = BackendName> {
  /** The backend for models that no route names. */
  readonly usual: Name;
  /** Backends by the model's name as clients write it, where `*` matches anything; the first match wins. */
  readonly routes: Readonly<Record<string, Name>>;
  /** The fallbacks, in this order, for a backend that fails before its first event. */
  readonly fallback: readonly Name[];
}

export function backendsFor(model: string, { usual, routes, fallback }: Routing): readonly BackendName[] {
  const route = Object.entries(routes).find(([pattern]) => fitsWildcard(model.toLowerCase(), pattern.toLowerCase()));
  return [...new Set([route?.[1] ?? usual, ...fallback])];
}

export function backendsIn<Name extends BackendName>({ usual, routes, fallback }: Routing<Name>): readonly Name[] {
  return [...new Set([usual, ...Object.values(routes), ...fallback])];
}

export function mayFallBack(code: ErrorCode): boolean {
  return fallbackCodes.has(code);
}
