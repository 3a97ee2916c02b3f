/**
 * Imports across a border, from a room or file to a room or file, and cycles that stand until their cause is gone, with the reason.
 * An entry that is not needed is an error.
 */
export const exceptions = [
  {
    from: "src/sessions/parking.ts",
    to: "src/tools/loop-guard.ts",
    reason: "A parked run keeps the loop guard of its turn, by its type alone.",
  },
  {
    cycle: ["src/auth/renewed-tokens.ts", "src/auth/token.ts"],
    reason: "A type that both need stands in one of them.",
  },
  {
    cycle: ["node", "run"].map((name) => `src/formats/json-schema/${name}.ts`),
    reason:
      "Types that hold each other: a schema belongs to a resource, which knows its schemas, and a run checks both.",
  },
];
