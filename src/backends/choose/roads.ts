import type { Backend, BackendName } from "../backend.js";
import { type BackendHealth, HealthRecord } from "./backend-health.js";
import { backendsFor, backendsIn, type Routing } from "./routing.js";

interface RoadsDeps<Road> {
  readonly routing: Routing;
  /** Called once for each backend, when the first turn goes there. */
  readonly open: (name: BackendName) => Road;
  readonly now: () => number;
}

/** The backends of one account, each made when it is first needed. */
export class Roads<Road extends { readonly backend: Pick<Backend, "close"> }> {
  readonly #deps: RoadsDeps<Road>;
  readonly #opened = new Map<BackendName, Road>();
  readonly #records: ReadonlyMap<BackendName, HealthRecord>;

  constructor(deps: RoadsDeps<Road>) {
    this.#deps = deps;
    this.#records = new Map(backendsIn(deps.routing).map((name) => [name, new HealthRecord(deps.now)]));
  }

  /** The backends for a model, best first. */
  namesFor(model: string): readonly BackendName[] {
    return backendsFor(model, this.#deps.routing);
  }

  open(name: BackendName): Road {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const road = this.#deps.open(name);
    this.#opened.set(name, road);
    return road;
  }

  /** The one for models that no route names. */
  get usual(): Road {
    return this.open(this.#deps.routing.usual);
  }

  recordOf(name: BackendName): HealthRecord | undefined {
    return this.#records.get(name);
  }

  get health(): Readonly<Record<string, BackendHealth>> {
    return Object.fromEntries([...this.#records].map(([name, { facts }]) => [name, facts]));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ backend }) => backend.close()));
  }
}

/** For an account that has but one. */
export function oneRoad<Road extends { readonly backend: Pick<Backend, "close" | "name"> }>(road: Road): Roads<Road> {
  const routing = { usual: road.backend.name, routes: {}, fallback: [] };
  return new Roads({ routing, open: () => road, now: Date.now });
}
