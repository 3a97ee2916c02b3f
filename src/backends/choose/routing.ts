import type { ErrorCode } from "../../turn/error.js";
import { fitsWildcard } from "../../turn/fits-wildcard.js";
import type { BackendName } from "../backend.js";

/**
 * What is wrong with a road, or with something along it. Where the request, the account or its quota is the trouble, another
 * road would only meet it again, or get around a limit that is meant.
 */
export const fallbackCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "client_outdated",
  "network_blocked",
  "overloaded",
  // It is not installed, or broken on this machine.
  "server_error",
  "timeout",
  "upstream_error",
  "upstream_overloaded",
  "upstream_unreachable",
]);

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

/** Whether another backend may be asked instead, as far as the failure goes. */
export function mayFallBack(code: ErrorCode): boolean {
  return fallbackCodes.has(code);
}

function fits(model: string, pattern: string): boolean {
  return fitsWildcard(model.toLowerCase(), pattern.toLowerCase());
}
