/**
 * Expressions that the check cannot prove to be linear, by their file and their beginning, with the reason why they do no harm. An
 * entry that is not needed is an error.
 */
export const allowed = [
  {
    file: "packages/gateway/core/formats/pattern/program.ts",
    code: "new RegExp(`^(?:",
    reason: "Only one class of characters is inserted, and it is tested with one character at a time.",
  },
];
