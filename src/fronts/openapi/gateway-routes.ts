import { z } from "zod";
import type { DescribedRoute } from "./described-route.js";
import { anthropicError, openAiError } from "./shared-shapes.js";

/** Clients that show the gateway's key see more fields. */
const Health = z.looseObject({ status: z.string(), version: z.string(), backend: z.string() });

const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

/** The routes about the gateway itself. */
export const gatewayRoutes: readonly DescribedRoute[] = [
  // Claude Code asks here before anything else.
  {
    method: "get",
    path: "/api/hello",
    operationId: "sayHello",
    summary: "Answers that the gateway is up.",
    replies: [],
    errors: [openAiError, anthropicError],
    isOpen: true,
  },
  {
    method: "get",
    path: "/health",
    operationId: "getHealth",
    summary: "Reports version, backend and health of the gateway.",
    replies: [{ name: "Health", schema: Health }],
    errors: [openAiError],
    isOpen: true,
  },
  {
    method: "get",
    path: "/metrics",
    operationId: "getMetrics",
    summary: "Sums about the requests so far, in Prometheus' text format.",
    replies: [],
    textType: "text/plain",
    errors: [openAiError],
  },
  {
    method: "get",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This document.",
    replies: [{ name: "OpenApiDocument", schema: OpenApiDocument }],
    errors: [openAiError],
  },
];
