import { z } from "zod";
import type { DescribedRoute, Shapes } from "./described-route.js";

const securitySchemes = {
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
};

type Schemas = Record<string, unknown>;

export function writeDocument(routes: readonly DescribedRoute[], version: string) {
  const schemas: Schemas = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: writeOperation(route, schemas) };
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
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: { securitySchemes, schemas },
  };
}

function writeOperation(route: DescribedRoute, schemas: Schemas) {
  const { operationId, summary, isOpen, parameters, request, isRequestOptional = false, errors } = route;
  return {
    operationId,
    summary,
    ...(isOpen && { security: [] }),
    ...(parameters && { parameters: parameters.map((each) => ({ ...each, required: each.in === "path" })) }),
    ...(request && {
      requestBody: {
        required: !isRequestOptional,
        content: { "application/json": { schema: referToOneOf(schemas, request, "input") } },
      },
    }),
    responses: {
      200: writeAnswer(route, schemas),
      default: {
        description: "What went wrong, why, and what to do next.",
        content: { "application/json": { schema: referToOneOf(schemas, errors, "output") } },
      },
    },
  };
}

function writeAnswer({ replies, textType, canStream }: DescribedRoute, schemas: Schemas) {
  const description = "The answer.";
  if (textType !== undefined) return { description, content: { [textType]: { schema: { type: "string" } } } };
  if (Object.keys(replies).length === 0) return { description };
  return {
    description,
    content: {
      "application/json": { schema: referToOneOf(schemas, replies, "output") },
      ...(canStream && { "text/event-stream": { schema: { type: "string" } } }),
    },
  };
}

/** Refers to schemas by their names in the document. Each is written there at its first reference. */
function referToOneOf(schemas: Schemas, shapes: Shapes, io: "input" | "output") {
  const refs = Object.entries(shapes).map(([name, schema]) => {
    schemas[name] ??= toJsonSchema(name, schema, io);
    return { $ref: `#/components/schemas/${name}` };
  });
  return refs.length === 1 ? refs[0] : { oneOf: refs };
}

/** References inside a schema are relative to the document's root once the schema is part of it. */
function toJsonSchema(name: string, schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const text = JSON.stringify(json).replaceAll('"$ref":"#', `"$ref":"#/components/schemas/${name}`);
  return JSON.parse(text);
}
