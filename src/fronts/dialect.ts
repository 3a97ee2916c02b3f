import type { IncomingHttpHeaders } from "node:http";
import type { ClientRequest, Front, SocketFront } from "./front.js";
import type { DescribedRoute, RouteDescription, Shape } from "./openapi/index.js";

/** A route that is answered at once, without a turn. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its parameters behind colons: `/v1/responses/:id`. */
  readonly path: string;
  readonly description: RouteDescription;
  readonly takesBody?: boolean;
  answer(request: ClientRequest): EndpointAnswer;
}

export interface EndpointAnswer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that a dialect brings. */
export interface Dialect {
  readonly fronts: readonly (Front<unknown> | SocketFront<unknown>)[];
  /** In the order in which their addresses are tried. */
  readonly endpoints: readonly Endpoint[];
  readonly errorShape: Shape;
  /** How errors are told that came before a front was found, or behind it. */
  readonly error: Front<unknown>["error"];
  /** Whether such a request is of this dialect; without it, none is. */
  isSpokenIn?(path: string, headers: IncomingHttpHeaders): boolean;
}

/** The routes of a dialect, as clients see them. */
export function describeRoutes({ fronts, endpoints, errorShape }: Dialect): DescribedRoute[] {
  const posts = fronts.map((front) => ({ method: "POST" as const, ...front }));
  return [...posts, ...endpoints].map(({ method, path, description }) => {
    const [address = "", alias = ""] = addressesOf(path.replace(/:(\w+)/g, "{$1}"));
    return { ...description, method: lowerCase[method], path: address, alias, errors: [errorShape] };
  });
}

const lowerCase = { GET: "get", POST: "post", DELETE: "delete" } as const;

/** Also without /v1, for clients whose base URL lacks it. */
export function addressesOf(path: string): string[] {
  return [path, path.replace("/v1/", "/")];
}
