import type { Mistake } from "./mistake.js";
import { ask } from "./requests.js";

export const modelMistakes: readonly Mistake[] = [
  {
    number: 1,
    mistake: "model `composer-2.6`",
    make: (stage) => ask(stage, "hi", { model: "composer-2.6" }),
    status: 404,
    says: ["composer-2.6", "Did you mean `composer-2.5`"],
  },
  {
    number: 2,
    mistake: "model `claude-opus-5-hihg`",
    make: (stage) => ask(stage, "hi", { model: "claude-opus-5-hihg" }),
    status: 404,
    says: ["`claude-opus-5-hihg` is not in your Cursor list. Did you mean `claude-opus-4-8-high`", "curlew models"],
  },
  {
    number: 3,
    mistake: "model `claude-opus-4-8:turbo`",
    make: (stage) => ask(stage, "hi", { model: "claude-opus-4-8:turbo" }),
    status: 404,
    says: ["has no option `turbo` after the colon: `claude-opus-4-8-high` takes low, high, 200k, 1m or max."],
  },
  {
    number: 4,
    mistake: "`reasoning_effort: turbo`",
    make: (stage) => ask(stage, "hi", { reasoning_effort: "turbo" }),
    status: 200,
    says: ["auto has no setting for the effort turbo; it is left out."],
  },
];
