import { z } from "zod";

/** Schemas by their names in the document, so that each is written once. */
export type Shapes = Readonly<Record<string, z.ZodType>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: { readonly type: "string" | "integer"; readonly [keyword: string]: unknown };
}

export function parameter(
  place: Parameter["in"],
  name: string,
  description: string,
  schema: Parameter["schema"] = { type: "string" },
): Parameter {
  return { name, in: place, description, schema };
}

export interface RouteDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Shapes;
  readonly isRequestOptional?: boolean;
  /** One shape for each dialect that the route answers in; none if it does not answer with JSON. */
  readonly replies: Shapes;
  readonly textType?: string;
  readonly canStream?: boolean;
  readonly isOpen?: boolean;
}

export interface DescribedRoute extends RouteDescription {
  readonly method: "get" | "post" | "delete";
  /** Parameters are in braces: `/v1/models/{id}`. */
  readonly path: string;
  readonly alias?: string | undefined;
  readonly errors: Shapes;
}

export const TurnUsage = z
  .looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    reasoning_tokens: z.int(),
  })
  .describe("Usage of the whole turn, if that is more than the last model call of this reply.");

const ChatUsage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  curlew_turn: TurnUsage.optional(),
});

/** The shape of a whole reply with one choice. */
export function completionOf<Choice extends z.ZodRawShape>(object: string, choice: Choice, finishReasons: string[]) {
  return z.looseObject({
    id: z.string(),
    object: z.literal(object),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({ index: z.literal(0), ...choice, logprobs: z.null(), finish_reason: z.enum(finishReasons) }),
    ),
    usage: ChatUsage.optional(),
  });
}

export const OpenAiError = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    type: z.string(),
    code: z.string(),
    param: z.string().nullable(),
    status: z.int(),
  }),
});

export const AnthropicError = z.looseObject({
  type: z.literal("error"),
  error: z.looseObject({ type: z.string(), message: z.string(), code: z.string(), param: z.string().optional() }),
  request_id: z.string().nullable(),
});

/** Clients that send the gateway's key see more fields. */
const Health = z.looseObject({ status: z.string(), version: z.string(), backend: z.string() });

const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

const About = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().describe("The address of this document."),
  page: z.string().describe("How to open the page."),
  routes: z.record(z.string(), z.string()).describe("What each route does."),
});

/** Routes outside the dialects report their own errors in OpenAI's form. */
export const gatewayRoutes: readonly DescribedRoute[] = [
  {
    path: "/",
    operationId: "getAbout",
    summary: "Lists the routes; a browser gets the page.",
    replies: { About },
    isOpen: true,
  },
  // Claude Code asks here before anything else.
  {
    path: "/api/hello",
    operationId: "sayHello",
    summary: "Reports that the gateway is up.",
    replies: {},
    errors: { OpenAiError, AnthropicError },
    isOpen: true,
  },
  {
    path: "/health",
    operationId: "getHealth",
    summary: "Reports version, backend and, to the owner, health of the gateway.",
    replies: { Health },
    isOpen: true,
  },
  {
    path: "/metrics",
    operationId: "getMetrics",
    summary: "Metrics of the requests so far, in Prometheus' text format, for the owner.",
    replies: {},
    textType: "text/plain",
  },
  {
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "Describes all routes, as OpenAPI.",
    replies: { OpenApiDocument },
  },
].map((route) => ({ method: "get", errors: { OpenAiError }, ...route }));
