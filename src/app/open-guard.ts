import type { commandCalls } from "../backends/cursor/signed-calls.js";
import type { Clock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import { listen } from "../events/index.js";
import type { KeyRing } from "../keys/index.js";
import type { Log } from "../ops/log.js";
import { costOf, createPrices, type Prices } from "../prices/index.js";
import { type EarlierSpend, type Limits, type PlanUse, readLimits, SpendGuard, watchLimits } from "../spend/index.js";
import { limitsFile } from "./prepare/own-files.js";
import { StartError } from "./prepare/start-error.js";

interface GuardParts {
  readonly gatewayId: string;
  readonly settings: Pick<Settings, "home" | "prices" | "conduct">;
  readonly clock: Clock;
  readonly log: Log;
  /** The owner's limits at the start. */
  readonly limits: Limits;
  readonly keys: Pick<KeyRing, "limitsOf">;
  /** What was booked before, if it is kept. */
  readonly earlier: EarlierSpend | undefined;
  readonly calls: Parameters<typeof commandCalls>[0];
}

interface OpenGuard {
  readonly guard: SpendGuard;
  close(): void;
}

/** The guard of a gateway, with a line in the log for everything that it warns of. Refusals are in the line of their request. */
export function openGuard({ gatewayId, settings, clock, log, limits, keys, earlier, calls }: GuardParts): OpenGuard {
  const onProblem = (problem: unknown) => log.warn({ err: problem }, "limits");
  let prices: Prices | undefined;
  const guard = new SpendGuard({
    gateway: gatewayId,
    clock,
    limits: watchLimits({ path: limitsFile(settings), first: limits, elapsed: () => clock.elapsed(), onProblem }),
    limitsOf: (caller) => keys.limitsOf(caller),
    costOf(model, tokens) {
      prices ??= createPrices(settings.prices);
      return costOf(tokens, model, prices);
    },
    earlier,
    // Under careful conduct the gateway asks Cursor nothing by itself.
    readPlan: settings.conduct === "careful" ? undefined : () => askForPlan(calls),
    onProblem,
  });
  const stopLogging = listen(
    gatewayId,
    {
      "curlew:limit:reached": ({ action, requestId, limit, message }) => {
        if (action !== "refused") log.warn({ requestId, action, limit, warning: message }, "limit");
      },
    },
    onProblem,
  );
  return {
    guard,
    close() {
      stopLogging();
      guard.close();
    },
  };
}

/**
 * The owner's limits at the start. A file that is changed while a gateway runs leaves it the limits that it had; here there are none.
 * @throws StartError `limits_unusable`
 */
export function firstLimits(settings: Pick<Settings, "home">): Limits {
  try {
    return readLimits(limitsFile(settings));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const text = `The limits cannot be used, and without them nothing would stop a client. ${reason} Correct the file, or delete it to set no limits, and start again.`;
    throw new StartError("limits_unusable", text, { cause: thrown });
  }
}

/** Loaded when a limit needs it, which few owners have. */
async function askForPlan(calls: GuardParts["calls"]): Promise<PlanUse> {
  const [{ commandCalls: signed }, { readPlan }] = await Promise.all([
    import("../backends/cursor/signed-calls.js"),
    import("../plan/index.js"),
  ]);
  return readPlan(signed(calls));
}
