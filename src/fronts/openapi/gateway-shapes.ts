import { z } from "zod";

/** More stands in it for those who hold the gateway's key. */
export const Health = z.looseObject({ status: z.string(), version: z.string(), backend: z.string() });

export const ToolList = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      server: z.string(),
      description: z.string(),
      inputSchema: z.looseObject({}),
    }),
  ),
  mcp: z.looseObject({ servers: z.int(), tools: z.int() }),
});

export const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
