import { z } from "zod";

/** More stands in it for those who hold the gateway's key. */
export const Health = z.looseObject({ status: z.string(), version: z.string(), backend: z.string() });

export const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
