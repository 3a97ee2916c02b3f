import type { ErrorCode } from "../../turn/error.js";
import { fitsWildcard } from "../../turn/fits-wildcard.js";
import type { BackendName } from "../backend.js";

/**
 * Failures of a backend, or of something on the way to it. Where the request, the account or its quota is the cause, another
 * backend would fail in the same way or evade an intended limit.
 */
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
  /** Backends by the model's name as clients write it, where `*` matches anything; the first match counts. */
  readonly routes: Readonly<Record<string, Name>>;
  /** The fallbacks, in this order, for a backend that fails before its first event. */
  readonly fallback: readonly Name[];
}

/** The backends for a model, best first: all but the first are fallbacks. */
export function backendsFor(model: string, { usual, routes, fallback }: Routing): readonly BackendName[] {
  const route = Object.entries(routes).find(([pattern]) => fits(model, pattern));
  return [...new Set([route?.[1] ?? usual, ...fallback])];
}

/** Every backend that a turn may use. */
export function backendsIn<Name extends BackendName>({ usual, routes, fallback }: Routing<Name>): readonly Name[] {
  return [...new Set([usual, ...Object.values(routes), ...fallback])];
}

/** Whether another backend may be tried after this failure. */
export function mayFallBack(code: ErrorCode): boolean {
  return fallbackCodes.has(code);
}

function fits(model: string, pattern: string): boolean {
  return fitsWildcard(model.toLowerCase(), pattern.toLowerCase());
}
