import { fitsWildcard } from "../../turn/fits-wildcard.js";
import type { BackendName } from "../backend.js";

/** Which backend a turn is for. */
export interface Routing<Name extends BackendName = BackendName> {
  /** For models that no route names. */
  readonly usual: Name;
  /** By the model's name as clients write it, where `*` stands for anything; the first that fits counts. */
  readonly routes: Readonly<Record<string, Name>>;
  /** Who may stand in, in this order, for a backend that fails before its first event. */
  readonly fallback: readonly Name[];
}

/** The backends for a model, best first: all but the first only stand in. */
export function backendsFor(model: string, { usual, routes, fallback }: Routing): readonly BackendName[] {
  const route = Object.entries(routes).find(([pattern]) => fits(model, pattern));
  return [...new Set([route?.[1] ?? usual, ...fallback])];
}

/** Every backend that some turn may go to. */
export function backendsIn<Name extends BackendName>({ usual, routes, fallback }: Routing<Name>): readonly Name[] {
  return [...new Set([usual, ...Object.values(routes), ...fallback])];
}

function fits(model: string, pattern: string): boolean {
  return fitsWildcard(model.toLowerCase(), pattern.toLowerCase());
}
