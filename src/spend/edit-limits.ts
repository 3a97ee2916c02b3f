import { type Ceilings, checkLimits, type LimitName, type Limits, LimitsError, MAX_ALLOWED } from "./limits.js";

/**
 * The limits with one of them set.
 * @throws LimitsError when they could not be used
 */
export function withLimit(limits: Limits, name: LimitName, value: number, models?: readonly string[]): Limits {
  if (name === "plan.percent") {
    return checkLimits({ ...limits, plan: { percent: value, ...(models !== undefined && { models }) } });
  }
  const [group, unit] = partsOf(name);
  return checkLimits({ ...limits, [group]: { ...limits[group], [unit]: value } });
}

/** The limits without one of them: its default holds again, if it has one. */
export function withoutLimit(limits: Limits, name: LimitName): Limits {
  if (name === "plan.percent") {
    const { plan: _, ...rest } = limits;
    return rest;
  }
  const [group, unit] = partsOf(name);
  const { [group]: of = {}, ...others } = limits;
  const left = Object.entries(of).filter(([each]) => each !== unit);
  return left.length === 0 ? others : { ...others, [group]: Object.fromEntries(left) };
}

/**
 * The limits with a conversation that may go on: up to ceilings of its own, or without an end if it gets none.
 * @throws LimitsError when they could not be used
 */
export function withAllowed(limits: Limits, thread: string, ceilings: Ceilings): Limits {
  const { [thread]: _, ...others } = limits.allowed ?? {};
  // The oldest is long over.
  const kept = Object.entries(others).slice(-(MAX_ALLOWED - 1));
  return checkLimits({ ...limits, allowed: { ...Object.fromEntries(kept), [thread]: ceilings } });
}

/** @throws LimitsError when the conversation is not allowed anything */
export function withoutAllowed(limits: Limits, thread: string): Limits {
  const { allowed = {}, ...rest } = limits;
  if (!Object.hasOwn(allowed, thread)) throw new LimitsError(`Nothing is allowed to a conversation ${thread}.`);
  const { [thread]: _, ...others } = allowed;
  return Object.keys(others).length === 0 ? rest : { ...rest, allowed: others };
}

type GroupedName = Exclude<LimitName, "plan.percent">;

function partsOf(name: GroupedName): ["conversation" | "hour" | "day" | "client", string] {
  const [group, unit = ""] = name.split(".");
  switch (group) {
    case "conversation":
    case "hour":
    case "day":
    case "client":
      return [group, unit];
    default:
      throw new LimitsError(`There is no limit ${name}.`);
  }
}
