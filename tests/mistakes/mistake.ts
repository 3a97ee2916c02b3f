import type { Answer, Stage } from "./stage.js";

export interface Mistake {
  readonly number: number;
  readonly mistake: string;
  make(stage: Stage): Promise<Answer>;
  /** The status of the response, or the exit code of the command. */
  readonly status: number;
  /** Texts that must be in the answer. */
  readonly says: readonly (string | RegExp)[];
}
