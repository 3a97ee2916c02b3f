import type { Backend, BackendName } from "../backend.js";
import { type BackendHealth, HealthTracker } from "./backend-health.js";
import { backendsFor, backendsIn, type Routing } from "./routing.js";

/** Asking for a login starts a process, and health checks may come every second. */
const LOGIN_FRESH_MS = 30_000;

interface BackendsDeps<Opened> {
  readonly routing: Routing;
  /** Called once for each backend, when its first turn comes. */
  readonly open: (name: BackendName) => Opened;
  readonly now: () => number;
}

/** The backends of one account, each opened when it is first needed. */
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

  /** The backend for models that no route names. */
  get usual(): Opened {
    return this.open(this.#deps.routing.usual);
  }

  trackerOf(name: BackendName): HealthTracker | undefined {
    return this.#trackers.get(name);
  }

  get health(): Readonly<Record<string, BackendHealth>> {
    return Object.fromEntries([...this.#trackers].map(([name, { snapshot }]) => [name, snapshot]));
  }

  /** Asks backends with a login of their own for it, where it is not known to be good; the answer is reused for a while. */
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
