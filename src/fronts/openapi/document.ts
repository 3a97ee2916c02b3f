import { z } from "zod";
import { AnthropicError } from "./anthropic-shapes.js";
import type { DescribedRoute, Shape } from "./described-route.js";
import { OpenAiError } from "./openai-shapes.js";

const errorShapes: Readonly<Record<DescribedRoute["errors"][number], Shape>> = {
  openai: { name: "OpenAiError", schema: OpenAiError },
  anthropic: { name: "AnthropicError", schema: AnthropicError },
};

/** An OpenAPI 3.1 document of the routes. */
export function writeDocument(routes: readonly DescribedRoute[], version: string) {
  const components: Record<string, unknown> = {};
  const refTo = ({ name, schema }: Shape, io: "input" | "output") => {
    components[name] ??= toJsonSchema(name, schema, io);
    return { $ref: `#/components/schemas/${name}` };
  };
  const oneOf = (shapes: readonly Shape[]) => {
    const refs = shapes.map((shape) => refTo(shape, "output"));
    return { schema: refs.length === 1 ? refs[0] : { oneOf: refs } };
  };

  const writeOperation = (route: DescribedRoute) => ({
    operationId: route.operationId,
    summary: route.summary,
    ...(route.isOpen && { security: [] }),
    ...(route.parameters && {
      parameters: route.parameters.map((each) => ({ ...each, required: each.in === "path" })),
    }),
    ...(route.request && {
      requestBody: { required: true, content: { "application/json": { schema: refTo(route.request, "input") } } },
    }),
    responses: {
      ...(!route.alwaysFails && {
        200: {
          description: "The answer.",
          ...(route.replies.length > 0 && {
            content: {
              "application/json": oneOf(route.replies),
              ...(route.canStream && { "text/event-stream": { schema: { type: "string" } } }),
            },
          }),
        },
      }),
      default: {
        description: "What went wrong, why, and what to do next.",
        content: { "application/json": oneOf(route.errors.map((dialect) => errorShapes[dialect])) },
      },
    },
  });

  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: writeOperation(route) };
    if (route.alias !== undefined) paths[route.alias] = { $ref: `#/paths/${route.path.replaceAll("/", "~1")}` };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Curlew",
      version,
      description: "The models of your own Cursor subscription, in the dialects that AI clients speak.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { apiKey: [] }, { curlewKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The gateway's key. Not needed where none is set." },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "The same, as Anthropic's clients send it.",
        },
        curlewKey: {
          type: "apiKey",
          in: "header",
          name: "x-curlew-key",
          description: "The same, where the other two bring a credential for Cursor (pass-through mode).",
        },
      },
      schemas: components,
    },
  };
}

/** References inside a schema count from the document's root once the schema stands in it. */
function toJsonSchema(name: string, schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const text = JSON.stringify(json).replaceAll('"$ref":"#', `"$ref":"#/components/schemas/${name}`);
  return JSON.parse(text);
}
