import type { z } from "zod";

/** A schema that the document names, so that it stands there once. */
export interface Shape {
  readonly name: string;
  readonly schema: z.ZodType;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: { readonly type: "string" | "integer" };
}

/** What a route does, wherever it is. */
export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Shape;
  /** One for each dialect that the route answers in; none when there is nothing to read. */
  readonly replies: readonly Shape[];
  /** Whether the reply comes as it is made, where the request asks for that. */
  readonly canStream?: boolean;
  /** Whether the route is there for its errors alone. */
  readonly alwaysFails?: boolean;
  /** Whether everybody may ask, without the gateway's key. */
  readonly isOpen?: boolean;
}

/** One route, as clients see it. */
export interface DescribedRoute extends RouteDescription {
  readonly method: "get" | "post" | "delete";
  /** With parameters in braces: `/v1/models/{id}`. */
  readonly path: string;
  /** Another address of the same. */
  readonly alias?: string | undefined;
  /** The content type of a reply that comes as it is made. */
  readonly streamType?: string | undefined;
  /** One for each dialect in which errors come. */
  readonly errors: readonly Shape[];
}
