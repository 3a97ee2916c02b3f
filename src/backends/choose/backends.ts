import type { Backend, BackendName } from "../backend.js";
import { type BackendHealth, HealthRecord } from "./backend-health.js";
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
  readonly #records: ReadonlyMap<BackendName, HealthRecord>;
  #loginsAskedMs = Number.NEGATIVE_INFINITY;
  #loginsTold: Promise<void> = Promise.resolve();

  constructor(deps: BackendsDeps<Opened>) {
    this.#deps = deps;
    this.#records = new Map(backendsIn(deps.routing).map((name) => [name, new HealthRecord(deps.now)]));
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

  recordOf(name: BackendName): HealthRecord | undefined {
    return this.#records.get(name);
  }

  get health(): Readonly<Record<string, BackendHealth>> {
    return Object.fromEntries([...this.#records].map(([name, { facts }]) => [name, facts]));
  }

  /** Asks backends with a login of their own for it, where it is not known to be good; the answer is reused for a while. */
  checkLogins(): Promise<void> {
    const nowMs = this.#deps.now();
    if (nowMs - this.#loginsAskedMs >= LOGIN_FRESH_MS) {
      this.#loginsAskedMs = nowMs;
      this.#loginsTold = this.#askLogins();
    }
    return this.#loginsTold;
  }

  async #askLogins(): Promise<void> {
    const unproven = [...this.#records].filter(([, { facts }]) => facts.auth !== "authenticated");
    await Promise.all(
      unproven.map(async ([name, record]) => {
        const login = await this.open(name)
          .backend.login?.()
          .catch(() => "unknown" as const);
        if (login !== undefined) record.saysOfLogin(login);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ backend }) => backend.close()));
  }
}
