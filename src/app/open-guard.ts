import type { Clock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import { listen } from "../events/index.js";
import type { Log } from "../ops/log.js";
import {
  type CostOf,
  type EarlierSpend,
  limitsPath,
  type PlanUse,
  type SpanCeilings,
  SpendGuard,
  watchLimits,
} from "../spend/index.js";

interface GuardParts {
  readonly gatewayId: string;
  readonly settings: Pick<Settings, "home">;
  readonly clock: Clock;
  readonly log: Log;
  /** The ceilings of a caller's key. */
  readonly limitsOf: (caller: string) => SpanCeilings;
  readonly costOf: CostOf;
  readonly openEarlier: () => EarlierSpend | undefined;
  readonly readPlan: () => Promise<PlanUse>;
}

interface OpenGuard {
  readonly guard: SpendGuard;
  close(): void;
}

/** The guard of a gateway, with a line in the log for everything that it warns of. Refusals are in the line of their request. */
export function openGuard({ gatewayId, settings, clock, log, ...sources }: GuardParts): OpenGuard {
  const onProblem = (problem: unknown) => log.warn({ err: problem }, "limits");
  const limits = watchLimits({ path: limitsPath(settings.home), elapsed: () => clock.elapsed(), onProblem });
  const stopLogging = listen(
    gatewayId,
    {
      "curlew:limit:reached": ({ action, requestId, limit, message }) => {
        if (action !== "refused") log.warn({ requestId, action, limit, warning: message }, "limit");
      },
    },
    onProblem,
  );
  const guard = new SpendGuard({ gateway: gatewayId, clock, limits, onProblem, ...sources });
  return {
    guard,
    close() {
      stopLogging();
      guard.close();
    },
  };
}
