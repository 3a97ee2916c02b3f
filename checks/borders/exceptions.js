/**
 * Imports across a border, from a room or file to a room or file, and cycles, each allowed for the given reason until its cause is gone.
 * An entry that is not needed is an error.
 */
export const exceptions = [
  {
    cycle: ["packages/gateway/account/renewed-tokens.ts", "packages/gateway/account/token.ts"],
    reason: "A type that both need is in one of them.",
  },
];
