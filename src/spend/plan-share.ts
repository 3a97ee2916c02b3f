import { fitsWildcard } from "../turn/fits-wildcard.js";
import type { PlanLimit } from "./limits.js";
import { timeText } from "./windows.js";

const ASK_EVERY_MS = 5 * 60_000;
const WARN_SHARE = 0.9;

/** How much of the plan is used, as Cursor says it; null where it does not. */
export interface PlanUse {
  readonly percentUsed: number | null;
  /** When the plan's period ends, as a date. */
  readonly resets: string | null;
}

interface PlanShareDeps {
  /** Asks Cursor; undefined where it must not be asked. */
  readonly readPlan: (() => Promise<PlanUse>) | undefined;
  /** Milliseconds that never jump. */
  readonly elapsed: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** What stands in the way of a model, or soon will. */
export interface PlanVerdict {
  readonly isReached: boolean;
  readonly message: string;
  readonly endsMs: number | undefined;
  /** Stays the same as long as there is nothing new to say. */
  readonly id: string;
}

/**
 * The used share of the plan. Cursor is asked only while a limit needs the figure, and no request waits for the answer: until the
 * first one is there, nothing is refused.
 */
export class PlanShare {
  readonly #deps: PlanShareDeps;
  #use: PlanUse | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: PlanShareDeps) {
    this.#deps = deps;
  }

  /** Whether the limit concerns a model with these names; undefined if it does not, or is still far away. */
  judge({ percent, models }: PlanLimit, names: readonly string[]): PlanVerdict | undefined {
    if (this.#deps.readPlan === undefined) return notUsable;
    this.#askSometimes(this.#deps.readPlan);
    const { percentUsed: used = null, resets = null } = this.#use ?? {};
    if (used === null || used < percent * WARN_SHARE) return undefined;
    if (models !== undefined && !models.some((pattern) => names.some((name) => fits(name, pattern)))) return undefined;
    const endsMs = resets === null ? undefined : Date.parse(resets);
    const isReached = used >= percent;
    return {
      isReached,
      message: planText(percent, models, used, endsMs, isReached),
      endsMs,
      id: `${percent} ${resets}`,
    };
  }

  #askSometimes(readPlan: () => Promise<PlanUse>): void {
    const { elapsed, onProblem } = this.#deps;
    const nowMs = elapsed();
    if (nowMs - this.#askedMs < ASK_EVERY_MS) return;
    this.#askedMs = nowMs;
    readPlan().then((use) => {
      this.#use = use;
    }, onProblem);
  }
}

const notUsable: PlanVerdict = {
  isReached: false,
  message:
    "The limit plan.percent cannot be used under careful conduct, because the gateway asks Cursor nothing by itself. Set a limit that it counts itself, such as: curlew limits set day.tokens 20000000",
  endsMs: undefined,
  id: "not usable",
};

function fits(name: string, pattern: string): boolean {
  return fitsWildcard(name.toLowerCase(), pattern.toLowerCase());
}

function planText(
  percent: number,
  models: readonly string[] | undefined,
  used: number,
  endsMs: number | undefined,
  isReached: boolean,
): string {
  const which = models === undefined ? "" : ` for ${models.join(", ")}`;
  const end = endsMs === undefined ? "" : ` The plan's period ends at ${timeText(endsMs)}.`;
  const state = isReached ? "is reached" : "is near";
  const flag = models === undefined ? "" : ` --models ${JSON.stringify(models.join(","))}`;
  const higher = `curlew limits set plan.percent ${Math.min(percent + 10, 1_000)}${flag}`;
  return `The limit plan.percent${which} ${state}: ${Number(used.toFixed(1))} % of the plan are used, of ${percent} %.${end} To raise it: ${higher}`;
}
