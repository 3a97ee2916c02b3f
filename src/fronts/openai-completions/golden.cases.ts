import type { SkippedDialect } from "../../../testing/golden/dialect.js";

export const golden: SkippedDialect = {
  path: "/v1/completions",
  skip: "A prompt is no conversation: it has no tools, no pictures and no thinking. The tests beside the code have it all.",
};
