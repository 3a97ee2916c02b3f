import { fitsWildcard } from "../../turn/fits-wildcard.js";
import type { BackendName } from "../backend.js";

/** Which backend a turn is for. */
export interface Routing {
  /** For models that no route names. */
  readonly usual: BackendName;
  /** By the model's name as clients write it, where `*` stands for anything; the first that fits counts. */
  readonly routes: Readonly<Record<string, BackendName>>;
  /** Who may stand in, in this order, for a backend that fails before its first event. */
  readonly fallback: readonly BackendName[];
}

/** The backends for a model, best first: all but the first only stand in. */
export function backendsFor(model: string, { usual, routes, fallback }: Routing): readonly BackendName[] {
  const route = Object.entries(routes).find(([pattern]) => fits(model, pattern));
  return [...new Set([route?.[1] ?? usual, ...fallback])];
}

/** Every backend that some turn may go to. */
export function backendsIn({ usual, routes, fallback }: Routing): readonly BackendName[] {
  return [...new Set([usual, ...Object.values(routes), ...fallback])];
}

function fits(model: string, pattern: string): boolean {
  return fitsWildcard(model.toLowerCase(), pattern.toLowerCase());
}
