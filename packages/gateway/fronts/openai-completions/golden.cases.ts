import type { SkippedDialect } from "../../../../testing/golden/dialect.js";

export const golden: SkippedDialect = {
  path: "/v1/completions",
  skip: "A prompt is not a conversation: no tools, pictures or thinking. The tests beside the code cover it.",
};
