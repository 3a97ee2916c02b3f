/**
 * Expressions that the check cannot prove to be linear, by their file and how they begin, and why they do no harm. An entry that is
 * not needed is an error.
 */
export const allowed = [
  {
    file: "src/commands/doctor/live/talk-probes.ts",
    code: "new RegExp(`\\\\bred\\\\b|image/png of ",
    reason: "Only a number is put in, and nothing repeats.",
  },
  {
    file: "src/formats/pattern/program.ts",
    code: "new RegExp(`^(?:",
    reason: "What is put in is one class of characters, and it is asked about one character at a time.",
  },
  ...["/^claude-", "/^gemini-", 'new RegExp(\n      "^(gpt-3', "new RegExp(\n      `^grok-"].map((code) => ({
    file: "src/models/fallback-model.ts",
    code,
    reason:
      "The fronts take no model name of more than 256 characters, and the parts that are put together are our own.",
  })),
];
