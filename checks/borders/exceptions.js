const sharedFloor = "What backends share about Cursor's wire still stands in the agent's room.";
const cliDoor =
  "The door of the CLI's backend opens a whole backend, and here only the program is asked whether it is signed in.";

/**
 * Imports across a border, from a room or file to a room or file, and cycles that stand until their cause is gone, with the reason.
 * An entry that is not needed is an error.
 */
export const exceptions = [
  { from: "src/backends/chat/", to: "src/backends/agent/", reason: sharedFloor },
  { from: "src/backends/sdk/", to: "src/backends/agent/", reason: sharedFloor },
  { from: "src/backends/sdk/", to: "src/backends/cli/text-tail.ts", reason: sharedFloor },
  { from: "src/commands/cursor-call.ts", to: "src/backends/agent/", reason: sharedFloor },
  { from: "src/commands/doctor/live/old-chat.ts", to: "src/backends/agent/", reason: sharedFloor },
  { from: "src/commands/roads/cli-login.ts", to: "src/backends/cli/", reason: cliDoor },
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
    cycle: ["src/backends/agent/refusal.ts", "src/backends/agent/run-answer.ts"],
    reason: "A type that both need stands in one of them.",
  },
  {
    cycle: ["node", "resource", "run"].map((name) => `src/formats/json-schema/${name}.ts`),
    reason:
      "Types that hold each other: a schema belongs to a resource, which knows its schemas, and a run checks both.",
  },
];
