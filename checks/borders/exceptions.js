/**
 * Imports across a border, from a room or file to a room or file, and cycles, each allowed for the given reason until its cause is gone.
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
    reason: "A type that both need is in one of them.",
  },
];
