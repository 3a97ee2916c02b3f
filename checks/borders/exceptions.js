/**
 * Imports across a border, from a room or file to a room or file, and cycles that stand until their cause is gone, with the reason.
 * An entry that is not needed is an error.
 */
export const exceptions = [
  {
    from: "src/server.ts",
    to: "src/fronts/anthropic-messages/count-tokens.ts",
    reason: "The door of the dialect offers its front alone, and counting tokens is a route of its own.",
  },
  {
    from: "src/fronts/openapi/",
    to: "src/fronts/",
    reason:
      "The description of the API is made from the schemas of the requests, which the doors of the dialects hide.",
  },
  {
    from: "src/fronts/models/",
    to: "src/models/",
    reason: "The lists of models word what the gateway's list of models does not say yet.",
  },
  {
    from: "src/sessions/parking.ts",
    to: "src/tools/loop-guard.ts",
    reason: "A parked run keeps the loop guard of its turn, by its type alone.",
  },
  {
    from: "src/config/schema.ts",
    to: "src/auth/credential.ts",
    reason: "How a credential is told from the name of its user is a rule of the credential.",
  },
  {
    cycle: ["src/auth/renewed-tokens.ts", "src/auth/token.ts"],
    reason: "A type that both need stands in one of them.",
  },
  { cycle: ["src/config/mcp", "src/config/settings.ts"], reason: "Types that both need stand in one of them." },
  {
    cycle: ["node", "resource", "run"].map((name) => `src/formats/json-schema/${name}.ts`),
    reason:
      "Types that hold each other: a schema belongs to a resource, which knows its schemas, and a run checks both.",
  },
];
