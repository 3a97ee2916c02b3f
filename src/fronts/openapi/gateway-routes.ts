import { z } from "zod";
import type { DescribedRoute } from "./described-route.js";
import { anthropicError, openAiError } from "./shared-shapes.js";

/** Clients that show the gateway's key see more fields. */
const Health = z.looseObject({ status: z.string(), version: z.string(), backend: z.string() });

const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

const About = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().describe("The address of this document."),
  page: z.string().describe("How a person gets to see the page."),
  routes: z.record(z.string(), z.string()).describe("What each route does."),
});

/** The routes about the gateway itself. */
export const gatewayRoutes: readonly DescribedRoute[] = [
  {
    method: "get",
    path: "/",
    operationId: "getAbout",
    summary: "Lists the routes; a browser gets the page.",
    replies: [{ name: "About", schema: About }],
    errors: [openAiError],
    isOpen: true,
  },
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
    summary: "Describes all routes, as OpenAPI.",
    replies: [{ name: "OpenApiDocument", schema: OpenApiDocument }],
    errors: [openAiError],
  },
];
