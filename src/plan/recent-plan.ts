import { type Clock, settlesWithin } from "../clock.js";
import { GatewayError } from "../turn/error.js";
import type { CursorPlan } from "./cursor-plan.js";

/** Cursor's own dashboard is no faster to notice what was used. */
const KEPT_MS = 5 * 60_000;
/** Who asks a gateway about its usage does not want to wait for Cursor. */
const WAIT_MS = 2_000;

/** The plan, or why it is not known. */
export type PlanAnswer =
  | { readonly plan: CursorPlan; readonly problem: null }
  | { readonly plan: null; readonly problem: string };

interface RecentPlanDeps {
  /** Asks Cursor. */
  readonly ask: () => Promise<CursorPlan>;
  readonly clock: Clock;
}

/** The account's plan for those who ask often: Cursor is asked at most once in five minutes, also when it fails. */
export class RecentPlan {
  readonly #deps: RecentPlanDeps;
  #asked: { readonly atMs: number; readonly answer: Promise<PlanAnswer> } | undefined;

  constructor(deps: RecentPlanDeps) {
    this.#deps = deps;
  }

  /** Waits for Cursor for two seconds at most. An answer that takes longer is there for the next who asks. */
  async read(): Promise<PlanAnswer> {
    const { clock } = this.#deps;
    const nowMs = clock.elapsed();
    if (this.#asked === undefined || nowMs - this.#asked.atMs >= KEPT_MS) {
      this.#asked = { atMs: nowMs, answer: this.#ask() };
    }
    const { answer } = this.#asked;
    if (await settlesWithin(WAIT_MS, answer, clock)) return answer;
    return { plan: null, problem: "Cursor has not answered within 2 s. Ask again in a moment." };
  }

  async #ask(): Promise<PlanAnswer> {
    try {
      return { plan: await this.#deps.ask(), problem: null };
    } catch (thrown) {
      return { plan: null, problem: GatewayError.from(thrown).message.replaceAll("\n", " ") };
    }
  }
}
