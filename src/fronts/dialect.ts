import type { IncomingHttpHeaders } from "node:http";
import type { ClientRequest, Front, SocketFront } from "./front.js";
import type { DescribedRoute } from "./openapi/index.js";

/** A route that is answered at once, without a turn. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its parameters behind colons: `/v1/responses/:id`. */
  readonly path: string;
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
  /** The routes of both, as they are described. */
  readonly routes: readonly DescribedRoute[];
  /** How errors are told that came before a front was found, or behind it. */
  readonly error: Front<unknown>["error"];
  /** Whether such a request is of this dialect; without it, none is. */
  isSpokenIn?(path: string, headers: IncomingHttpHeaders): boolean;
}
