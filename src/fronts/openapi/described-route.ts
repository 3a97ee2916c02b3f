import type { z } from "zod";

/** A schema with a name in the document, so that it is written there once. */
export interface Shape {
  readonly name: string;
  readonly schema: z.ZodType;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: {
    readonly type: "string" | "integer";
    readonly enum?: readonly string[];
    readonly default?: string | number;
    readonly minimum?: number;
    readonly maximum?: number;
  };
}

/** What a route does, independent of its address. */
export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Shape;
  /** One shape for each dialect that the route answers in; none if there is nothing to read. */
  readonly replies: readonly Shape[];
  /** The content type of a reply that is text. */
  readonly textType?: string;
  /** Whether the reply is streamed if the request asks for it. */
  readonly canStream?: boolean;
  /** Whether the route needs no gateway key. */
  readonly isOpen?: boolean;
}

/** One route, as clients see it. */
export interface DescribedRoute extends RouteDescription {
  readonly method: "get" | "post" | "delete";
  /** Parameters are in braces: `/v1/models/{id}`. */
  readonly path: string;
  /** Another address of the same route. */
  readonly alias?: string | undefined;
  /** The content type of a streamed reply. */
  readonly streamType?: string | undefined;
  /** One shape for each dialect in which the errors may come. */
  readonly errors: readonly Shape[];
}
