import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Gateway } from "../core/index.js";
import type { SlicedWork } from "../turn/slices.js";
import type { AddressedRequest, Front, SocketFront } from "./front.js";
import type { DescribedRoute, RouteDescription, Shapes } from "./openapi/index.js";

/** A route that is answered without a turn. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** The route takes a body if the description has a request. */
  readonly description: RouteDescription;
  answer(request: EndpointRequest): EndpointAnswer | Promise<EndpointAnswer>;
  /** The frames to stream, if the request asks for them instead of a whole answer. */
  frames?(request: AddressedRequest): BackgroundFrames | undefined;
}

/** A request that may also ask about the models of its account. */
export interface EndpointRequest extends AddressedRequest {
  readonly incoming: Pick<IncomingMessage, "headers" | "socket">;
  models(): ReturnType<Gateway["models"]>;
  model(name: string): ReturnType<Gateway["model"]>;
  /** A unique id for what the answer creates. */
  readonly newId: string;
  readonly nowMs: number;
}

export interface EndpointAnswer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What remains to be done before the answer is sent. */
  readonly work?: SlicedWork<undefined>;
}

/** The frames of a background reply after the skipped ones: those written so far, then the rest as they come. */
export interface BackgroundFrames {
  readonly id: string;
  readonly skipped: number;
}

export interface RouteGroup {
  readonly fronts: readonly (Front<unknown> | SocketFront<unknown>)[];
  /** The addresses are tried in this order. */
  readonly endpoints: readonly Endpoint[];
  /** One shape for each dialect in which the errors may come. */
  readonly errorShapes: Shapes;
}

export interface Dialect extends RouteGroup {
  /** Writes errors that happen before a front is found, or outside of one. */
  readonly error: Front<unknown>["error"];
  /** Whether a request is of this dialect. Without this function, none is. */
  isSpokenIn?(path: string, headers: IncomingHttpHeaders): boolean;
}

export function describeRoutes({ fronts, endpoints, errorShapes }: RouteGroup): DescribedRoute[] {
  const posts = fronts.map(({ path, description }) => ({ method: "POST" as const, path, description }));
  return [...posts, ...endpoints].map(({ method, path, description }) => {
    const [address, alias] = addressesOf(plainPath(path));
    return { ...description, method: lowerCase[method], path: address, alias, errors: errorShapes };
  });
}

const lowerCase = { GET: "get", POST: "post", DELETE: "delete" } as const;

/** `/v1/models/:id{.+}` in the notation for people: `/v1/models/{id}`. */
export function plainPath(path: string): string {
  return path.replace(/:(\w+)(\{[^}:]*\})?/g, "{$1}");
}

/** The address, and the same without /v1 for clients whose base URL lacks it. */
export function addressesOf(path: string): [string, ...string[]] {
  return path.startsWith("/v1/") ? [path, path.slice("/v1".length)] : [path];
}
