import { type CursorPlan, shareFor } from "@curlew/gateway/backends/cursor/plan.js";
import type { Clock } from "@curlew/gateway/system/clock.js";
import { fitsWildcard } from "@curlew/gateway/turn/fits-wildcard.js";
import { timeText } from "./limit-text.js";
import { type PlanLimit, RESULTS_SHARE, WARN_SHARE } from "./limits.js";

const ASK_EVERY_MS = 5 * 60_000;

/** Plan usage as reported by Cursor; null where it reports none. */
export type PlanUse = Partial<CursorPlan>;

export interface PlanShareDeps {
  /** Asks Cursor; undefined if that is not allowed (careful conduct). */
  readonly readPlan: (() => Promise<PlanUse>) | undefined;
  readonly clock: Pick<Clock, "elapsed">;
  /** Receives problems that did not affect a request. */
  readonly onProblem: (problem: unknown) => void;
}

/** The plan limit is near or reached for a model, or cannot be checked. */
interface PlanVerdict {
  readonly isReached: boolean;
  /** Contains figures of the plan if `hasFigures`. */
  readonly message: string;
  readonly hasFigures: boolean;
  readonly endsMs: number | undefined;
  /** Unchanged as long as there is nothing new to report. */
  readonly id: string;
}

/** The used share of the plan. Cursor is asked only while a limit needs it; until it has answered, nothing is refused. */
export class PlanShare {
  readonly #deps: PlanShareDeps;
  #use: PlanUse | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: PlanShareDeps) {
    this.#deps = deps;
  }

  /** Applies the limit to a model with these names, the last of them Cursor's; undefined if it does not apply or is not near. */
  judge(limit: PlanLimit, names: readonly string[], isResults: boolean, wait: string): PlanVerdict | undefined {
    const { percent, models } = limit;
    if (this.#deps.readPlan === undefined) return notUsable;
    this.#askSometimes(this.#deps.readPlan);
    const isMeant = (pattern: string) => names.some((name) => fitsWildcard(name.toLowerCase(), pattern.toLowerCase()));
    if (models !== undefined && !models.some(isMeant)) return undefined;
    const { used, of } = shareFor(this.#use ?? {}, names.at(-1));
    const { resets = null } = this.#use ?? {};
    if (used === null) return notKnown;
    if (used < percent * WARN_SHARE) return undefined;
    const endsMs = resets === null ? undefined : Date.parse(resets);
    const isReached = isResults ? used > percent * RESULTS_SHARE : used >= percent;
    const message = planText(limit, used, of, endsMs, isReached ? wait : "");
    return { isReached, message, hasFigures: true, endsMs, id: `${percent} ${resets} ${used >= percent}` };
  }

  #askSometimes(readPlan: () => Promise<PlanUse>): void {
    const { clock, onProblem } = this.#deps;
    const nowMs = clock.elapsed();
    if (nowMs - this.#askedMs < ASK_EVERY_MS) return;
    this.#askedMs = nowMs;
    readPlan().then((use) => {
      this.#use = use;
    }, onProblem);
  }
}

const notUsable: PlanVerdict = {
  isReached: false,
  hasFigures: false,
  message:
    "The limit plan.percent cannot be used under careful conduct, because the gateway then makes no requests of its own. Use a limit that it counts itself, such as: curlew limits set day.tokens 20000000",
  endsMs: undefined,
  id: "not usable",
};

const notKnown: PlanVerdict = {
  ...notUsable,
  message:
    "The limit plan.percent lets this request through: the plan usage is not known yet. Cursor is asked with the first request after a start, then every five minutes.",
  id: "not known",
};

function planText({ percent, models }: PlanLimit, used: number, of: string, endsMs: number | undefined, wait: string) {
  const which = models === undefined ? "" : ` for ${models.join(", ")}`;
  const last = ` Tool results are accepted up to ${Number((percent * RESULTS_SHARE).toFixed(1))} %.`;
  const [state, results] = used >= percent ? ["is reached", last] : ["is near", ""];
  const end = endsMs === undefined ? "" : ` The plan's period ends at ${timeText(endsMs)}.`;
  const flag = models === undefined ? "" : ` --models ${JSON.stringify(models.join(","))}`;
  const higher = `curlew limits set plan.percent ${Math.min(percent + 10, 1_000)}${flag}`;
  return `The limit plan.percent${which} ${state}: ${Number(used.toFixed(1))} % of ${of} is used (limit: ${percent} %).${results}${wait}${end} To raise it: ${higher}`;
}
