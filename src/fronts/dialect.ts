import type { IncomingHttpHeaders } from "node:http";
import type { Gateway } from "../gateway/index.js";
import type { ClientRequest, Front, SocketFront } from "./front.js";
import type { DescribedRoute, RouteDescription, Shape } from "./openapi/index.js";

/** A route that is answered without a turn. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its parameters behind colons: `/v1/responses/:id`. */
  readonly path: string;
  /** Where it describes a request, the route takes a body. */
  readonly description: RouteDescription;
  answer(request: EndpointRequest): EndpointAnswer | Promise<EndpointAnswer>;
}

/** A request that may also ask about the models of its account. */
export interface EndpointRequest extends ClientRequest {
  models(): ReturnType<Gateway["models"]>;
  model(name: string): ReturnType<Gateway["model"]>;
}

export interface EndpointAnswer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteGroup {
  readonly fronts: readonly (Front<unknown> | SocketFront<unknown>)[];
  /** In the order in which their addresses are tried. */
  readonly endpoints: readonly Endpoint[];
  /** One for each dialect in which errors come. */
  readonly errorShapes: readonly Shape[];
}

/** Everything that a dialect brings. */
export interface Dialect extends RouteGroup {
  /** How errors are told that came before a front was found, or behind it. */
  readonly error: Front<unknown>["error"];
  /** Whether such a request is of this dialect; without it, none is. */
  isSpokenIn?(path: string, headers: IncomingHttpHeaders): boolean;
}

export function describeRoutes({ fronts, endpoints, errorShapes }: RouteGroup): DescribedRoute[] {
  const posts = fronts.map(({ path, description, framing }) => {
    const streamType = description.canStream ? framing.contentType : undefined;
    return { method: "POST" as const, path, description: { ...description, streamType } };
  });
  return [...posts, ...endpoints].map(({ method, path, description }) => {
    const [address, alias] = addressesOf(plainPath(path));
    return { ...description, method: lowerCase[method], path: address, alias, errors: errorShapes };
  });
}

const lowerCase = { GET: "get", POST: "post", DELETE: "delete" } as const;

/** `/v1/models/:id{.+}` as people write it: `/v1/models/{id}`. */
export function plainPath(path: string): string {
  return path.replace(/:(\w+)(\{[^}:]*\})?/g, "{$1}");
}

/** Also without /v1, for clients whose base URL lacks it. */
export function addressesOf(path: string): [string, ...string[]] {
  return path.startsWith("/v1/") ? [path, path.slice("/v1".length)] : [path];
}
